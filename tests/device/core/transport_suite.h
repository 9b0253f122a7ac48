// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The transport test suite: what every transport must do, under every launcher. Each body runs in
// all processes of a job. The size given here is for the fork launcher; other launchers may use any
// number of processes from 2 on.
#ifndef AVRANKMAP_TESTS_DEVICE_TRANSPORT_SUITE_H
#define AVRANKMAP_TESTS_DEVICE_TRANSPORT_SUITE_H

#include "tests/device/core/process.h"

namespace avrankmap::test {

struct Body {
  const char *name;
  int size;
  void (*run)(Process &process);
};

// messages.cc
void every_size_arrives_intact(Process &process);
void sixty_four_mebibytes_arrive_intact(Process &process);
void unexpected_messages_are_matched_by_tag(Process &process);
void posted_receives_are_matched_by_tag(Process &process);
void unexpected_messages_of_every_size_are_kept(Process &process);
void messages_of_one_sender_keep_their_order(Process &process);
void a_receive_from_anybody_takes_each_message_once(Process &process);
void a_receive_of_any_tag_takes_messages_in_order(Process &process);
void a_process_can_send_to_itself(Process &process);
void a_message_that_is_too_long_is_truncated(Process &process);
void messages_with_wrong_arguments_are_refused(Process &process); // for one process: not in kBodies
void strided_data_arrive_strided(Process &process);
void communicators_do_not_mix_their_messages(Process &process);
void everything_can_be_issued(Process &process); // nobody receives: not in kBodies
// synchronous.cc
void a_synchronous_message_completes_once_it_is_matched(Process &process);
void synchronous_messages_to_posted_receives_complete(Process &process);
void synchronous_messages_keep_their_order_among_others(Process &process);
void each_synchronous_message_is_told_of_its_own_receive(Process &process);
void a_truncated_synchronous_message_was_matched(Process &process);
void synchronous_messages_that_are_taken_out_are_matched_when_received(Process &process);
void synchronous_messages_in_blocks_arrive_in_blocks(Process &process);
void a_synchronous_message_to_oneself_waits_for_its_receive(Process &process);
void synchronous_messages_with_wrong_arguments_are_refused(Process &process); // for one process
// blocks/list_messages.cc
void data_of_any_lists_arrive_in_their_order(Process &process);
void messages_fill_lists_from_their_beginning(Process &process);
void lists_are_only_read_during_the_call(Process &process);
// ... for one process: not in kBodies
void a_list_without_gaps_takes_no_copy(Process &process);
void offsets_from_null_are_addresses(Process &process);
void lists_may_have_more_blocks_than_an_int_counts(Process &process);
void lists_with_wrong_arguments_are_refused(Process &process);
// blocks/list_windows.cc
void puts_of_any_lists_land_where_they_should(Process &process);
void gets_of_any_lists_bring_what_they_should(Process &process);
void lists_outside_a_window_are_refused(Process &process);
// cancels.cc
void a_receive_can_be_cancelled(Process &process);
void a_receive_that_has_its_message_keeps_it(Process &process);
void only_receives_can_be_cancelled(Process &process);
// request_sets.cc
void several_requests_are_waited_for(Process &process);
void sets_with_wrong_arguments_are_refused(Process &process); // for one process: not in kBodies
// probes.cc
void probes_find_what_a_receive_would_take(Process &process);
void messages_that_are_taken_out_keep_their_order(Process &process);
void messages_that_are_taken_out_may_be_too_long(Process &process);
void probes_from_anybody_find_each_message_once(Process &process);
void receives_take_their_messages_before_probes(Process &process);
void probes_find_messages_from_nobody_and_from_oneself(Process &process);
void probes_with_wrong_arguments_are_refused(Process &process); // for one process: not in kBodies
// traffic.cc
void everyone_exchanges_with_everyone(Process &process);
void random_traffic_arrives_intact(Process &process);
void a_flood_pushes_back_and_loses_nothing(Process &process);
void a_receiver_that_sleeps_loses_nothing(Process &process);
// windows.cc
void windows_of_own_memory_take_puts_and_gets(Process &process);
void windows_of_allocated_memory_take_puts_and_gets(Process &process);
void puts_of_every_size_are_there_after_a_flush(Process &process);
void strided_puts_of_any_layout_land_where_they_should(Process &process);
void puts_outside_a_window_are_refused(Process &process);
void windows_that_are_exchanged_ask_nobody(Process &process);
void windows_whose_parts_are_all_known_keep_rules(Process &process);
void windows_whose_sizes_differ_keep_records(Process &process);
void windows_may_be_at_one_address(Process &process);
void windows_with_unknown_flags_are_refused(Process &process);
void empty_windows_take_nothing(Process &process);
// atomics.cc
void atomics_of_every_type_agree_with_their_twin(Process &process);
void narrow_atomics_agree_with_their_twin(Process &process);
void the_network_carries_out_atomics_if_asked(Process &process);
void windows_for_the_network_take_narrow_atomics(Process &process);
void each_ticket_is_drawn_once(Process &process);
void a_lock_of_atomics_keeps_others_out(Process &process);
void atomics_of_one_process_keep_their_order(Process &process);
void atomics_with_wrong_arguments_are_refused(Process &process);
// completion.cc
void strided_gets_of_any_layout_bring_what_they_should(Process &process);
void visible_puts_need_no_flush(Process &process);
void a_flush_waits_for_visible_puts(Process &process);
void a_local_flush_frees_and_fills_buffers(Process &process);
void one_sided_operations_with_wrong_arguments_are_refused(Process &process);
// fastpath_messages.cc: the MPI-shaped interface, every build of it and every proposal
void fastpath_messages_arrive_intact_and_in_order(Process &process);
void fastpath_messages_satisfy_receives_from_anybody(Process &process);
void fastpath_messages_without_matching_come_as_they_are_sent(Process &process);
// fastpath_windows.cc
void fastpath_puts_land_where_they_should(Process &process);
void fastpath_windows_are_uniform_if_all_parts_are(Process &process);

inline constexpr Body kBodies[] = {
    {"EverySizeArrivesIntact", 2, every_size_arrives_intact},
    {"SixtyFourMebibytesArriveIntact", 2, sixty_four_mebibytes_arrive_intact},
    {"UnexpectedMessagesAreMatchedByTag", 2, unexpected_messages_are_matched_by_tag},
    {"PostedReceivesAreMatchedByTag", 2, posted_receives_are_matched_by_tag},
    {"SeveralRequestsAreWaitedFor", 2, several_requests_are_waited_for},
    {"ProbesFindWhatAReceiveWouldTake", 2, probes_find_what_a_receive_would_take},
    {"MessagesThatAreTakenOutKeepTheirOrder", 2, messages_that_are_taken_out_keep_their_order},
    {"MessagesThatAreTakenOutMayBeTooLong", 2, messages_that_are_taken_out_may_be_too_long},
    {"ProbesFromAnybodyFindEachMessageOnce", 4, probes_from_anybody_find_each_message_once},
    {"ReceivesTakeTheirMessagesBeforeProbes", 2, receives_take_their_messages_before_probes},
    {"ProbesFindMessagesFromNobodyAndFromOneself", 2, probes_find_messages_from_nobody_and_from_oneself},
    {"UnexpectedMessagesOfEverySizeAreKept", 2, unexpected_messages_of_every_size_are_kept},
    {"MessagesOfOneSenderKeepTheirOrder", 2, messages_of_one_sender_keep_their_order},
    {"AReceiveFromAnybodyTakesEachMessageOnce", 4, a_receive_from_anybody_takes_each_message_once},
    {"AReceiveOfAnyTagTakesMessagesInOrder", 2, a_receive_of_any_tag_takes_messages_in_order},
    {"AProcessCanSendToItself", 2, a_process_can_send_to_itself},
    {"AMessageThatIsTooLongIsTruncated", 2, a_message_that_is_too_long_is_truncated},
    {"ASynchronousMessageCompletesOnceItIsMatched", 2, a_synchronous_message_completes_once_it_is_matched},
    {"SynchronousMessagesToPostedReceivesComplete", 2, synchronous_messages_to_posted_receives_complete},
    {"SynchronousMessagesKeepTheirOrderAmongOthers", 2, synchronous_messages_keep_their_order_among_others},
    {"EachSynchronousMessageIsToldOfItsOwnReceive", 2, each_synchronous_message_is_told_of_its_own_receive},
    {"ATruncatedSynchronousMessageWasMatched", 2, a_truncated_synchronous_message_was_matched},
    {"SynchronousMessagesThatAreTakenOutAreMatchedWhenReceived", 2,
     synchronous_messages_that_are_taken_out_are_matched_when_received},
    {"SynchronousMessagesInBlocksArriveInBlocks", 2, synchronous_messages_in_blocks_arrive_in_blocks},
    {"ASynchronousMessageToOneselfWaitsForItsReceive", 2, a_synchronous_message_to_oneself_waits_for_its_receive},
    {"AReceiveCanBeCancelled", 2, a_receive_can_be_cancelled},
    {"AReceiveThatHasItsMessageKeepsIt", 4, a_receive_that_has_its_message_keeps_it},
    {"OnlyReceivesCanBeCancelled", 2, only_receives_can_be_cancelled},
    {"StridedDataArriveStrided", 2, strided_data_arrive_strided},
    {"DataOfAnyListsArriveInTheirOrder", 2, data_of_any_lists_arrive_in_their_order},
    {"MessagesFillListsFromTheirBeginning", 2, messages_fill_lists_from_their_beginning},
    {"ListsAreOnlyReadDuringTheCall", 2, lists_are_only_read_during_the_call},
    {"CommunicatorsDoNotMixTheirMessages", 2, communicators_do_not_mix_their_messages},
    {"EveryoneExchangesWithEveryone", 16, everyone_exchanges_with_everyone},
    {"RandomTrafficArrivesIntact", 4, random_traffic_arrives_intact},
    {"AFloodPushesBackAndLosesNothing", 3, a_flood_pushes_back_and_loses_nothing},
    {"AReceiverThatSleepsLosesNothing", 2, a_receiver_that_sleeps_loses_nothing},
    {"WindowsOfOwnMemoryTakePutsAndGets", 3, windows_of_own_memory_take_puts_and_gets},
    {"WindowsOfAllocatedMemoryTakePutsAndGets", 5, windows_of_allocated_memory_take_puts_and_gets},
    {"PutsOfEverySizeAreThereAfterAFlush", 2, puts_of_every_size_are_there_after_a_flush},
    {"StridedPutsOfAnyLayoutLandWhereTheyShould", 2, strided_puts_of_any_layout_land_where_they_should},
    {"PutsOfAnyListsLandWhereTheyShould", 2, puts_of_any_lists_land_where_they_should},
    {"GetsOfAnyListsBringWhatTheyShould", 2, gets_of_any_lists_bring_what_they_should},
    {"ListsOutsideAWindowAreRefused", 2, lists_outside_a_window_are_refused},
    {"PutsOutsideAWindowAreRefused", 2, puts_outside_a_window_are_refused},
    {"WindowsThatAreExchangedAskNobody", 3, windows_that_are_exchanged_ask_nobody},
    {"WindowsWhosePartsAreAllKnownKeepRules", 3, windows_whose_parts_are_all_known_keep_rules},
    {"WindowsWhoseSizesDifferKeepRecords", 3, windows_whose_sizes_differ_keep_records},
    {"WindowsMayBeAtOneAddress", 3, windows_may_be_at_one_address},
    {"WindowsWithUnknownFlagsAreRefused", 2, windows_with_unknown_flags_are_refused},
    {"EmptyWindowsTakeNothing", 2, empty_windows_take_nothing},
    {"StridedGetsOfAnyLayoutBringWhatTheyShould", 2, strided_gets_of_any_layout_bring_what_they_should},
    {"VisiblePutsNeedNoFlush", 2, visible_puts_need_no_flush},
    {"AFlushWaitsForVisiblePuts", 2, a_flush_waits_for_visible_puts},
    {"ALocalFlushFreesAndFillsBuffers", 2, a_local_flush_frees_and_fills_buffers},
    {"OneSidedOperationsWithWrongArgumentsAreRefused", 2, one_sided_operations_with_wrong_arguments_are_refused},
    {"AtomicsOfEveryTypeAgreeWithTheirTwin", 2, atomics_of_every_type_agree_with_their_twin},
    {"NarrowAtomicsAgreeWithTheirTwin", 2, narrow_atomics_agree_with_their_twin},
    {"TheNetworkCarriesOutAtomicsIfAsked", 3, the_network_carries_out_atomics_if_asked},
    {"WindowsForTheNetworkTakeNarrowAtomics", 2, windows_for_the_network_take_narrow_atomics},
    {"EachTicketIsDrawnOnce", 4, each_ticket_is_drawn_once},
    {"ALockOfAtomicsKeepsOthersOut", 3, a_lock_of_atomics_keeps_others_out},
    {"AtomicsOfOneProcessKeepTheirOrder", 2, atomics_of_one_process_keep_their_order},
    {"AtomicsWithWrongArgumentsAreRefused", 2, atomics_with_wrong_arguments_are_refused},
    {"FastpathMessagesArriveIntactAndInOrder", 2, fastpath_messages_arrive_intact_and_in_order},
    {"FastpathMessagesSatisfyReceivesFromAnybody", 3, fastpath_messages_satisfy_receives_from_anybody},
    {"FastpathMessagesWithoutMatchingComeAsTheyAreSent", 2, fastpath_messages_without_matching_come_as_they_are_sent},
    {"FastpathPutsLandWhereTheyShould", 2, fastpath_puts_land_where_they_should},
    {"FastpathWindowsAreUniformIfAllPartsAre", 3, fastpath_windows_are_uniform_if_all_parts_are},
};

} // namespace avrankmap::test

#endif
