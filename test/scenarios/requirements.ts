/**
 * Every promise that Postern makes, one line each, under an id that its proofs name:
 *
 *   rule('never offers one delivery to two callers', async () => {
 *     verifies('G5.concurrent-drains')
 *     …
 *
 * `requirements.test.ts` fails where a promise has no proof or a proof names no promise. Ids beginning with G are the
 * guarantees of the design, those with S000 come from seed 000, and so on.
 */
export interface Requirement {
  readonly text: string
  /** The part of the product that brought it. */
  readonly builtIn: 'spine' | 'hooks' | 'server' | 'bus' | 'handoff' | 'wires' | 'ledger' | 'mcp' | 'page'
  /** The folder whose tests prove it; others may prove it too. */
  readonly provenIn: ProofFolder
}

/** Folders that hold proofs. */
export const PROOF_FOLDERS = {
  conformance: 'test/conformance',
  faults: 'test/faults',
  blackbox: 'test/blackbox',
  web: 'test/web',
  scenarios: 'test/scenarios',
  hiero: 'test/hiero',
  render: 'src/render',
} as const
export type ProofFolder = keyof typeof PROOF_FOLDERS

const spine = (provenIn: ProofFolder, text: string): Requirement => ({ text, builtIn: 'spine', provenIn })
const rule = (text: string) => spine('conformance', text)
const hooks = (provenIn: ProofFolder, text: string): Requirement => ({ text, builtIn: 'hooks', provenIn })
const gates = (text: string) => hooks('conformance', text)
const server = (provenIn: ProofFolder, text: string): Requirement => ({ text, builtIn: 'server', provenIn })
const bus = (provenIn: ProofFolder, text: string): Requirement => ({ text, builtIn: 'bus', provenIn })
const handoff = (provenIn: ProofFolder, text: string): Requirement => ({ text, builtIn: 'handoff', provenIn })
const wires = (provenIn: ProofFolder, text: string): Requirement => ({ text, builtIn: 'wires', provenIn })
const ledger = (provenIn: ProofFolder, text: string): Requirement => ({ text, builtIn: 'ledger', provenIn })
const mcp = (provenIn: ProofFolder, text: string): Requirement => ({ text, builtIn: 'mcp', provenIn })
const page = (provenIn: ProofFolder, text: string): Requirement => ({ text, builtIn: 'page', provenIn })

export const REQUIREMENTS = {
  'G1.kill': spine('faults', 'An acknowledged push survives kill -9 of any process, at every storage syscall.'),
  'G4.drain.full': spine('faults', 'On a full disk a drain still shows pending messages and takes none.'),
  'G1.power-loss': spine('faults', 'An acknowledged push survives power loss; a weaker setting is noticed.'),
  'G2.all-or-nothing': rule('A push to n recipients is stored for all of them or for none.'),
  'G3.same-id': rule('Repeating a push with its key returns the first id and stores nothing again.'),
  'G3.conflict': rule('The same key with other content is refused.'),
  'G3.concurrent': rule('Of concurrent pushes with one key exactly one is stored.'),
  'G4.exactly-once': rule('Without crashes every message is shown exactly once.'),
  'G4.shown-again': rule('What was offered and not confirmed is shown again, with the same id and the next attempt.'),
  'G4.printed-only': rule('An offer that was never printed is confirmed by nothing.'),
  'G4.earlier-event': rule('An event confirms only what was printed before it began.'),
  'G4.session-end': rule('The end of a session confirms what was shown within a turn and gives the rest back.'),
  'G4.unprinted-lease': rule('An unprinted offer lasts 30 s.'),
  'G4.printed-lease': rule('A printed offer lasts 30 min, or until its host process is gone.'),
  'G4.dead': rule('What comes back too often is put aside as dead, a person is told, and it can be tried again.'),
  'G4.crash': spine(
    'faults',
    'A drain that is killed anywhere is shown again; nothing it had not printed is confirmed.',
  ),
  'G4.quiet': spine('faults', 'A quiet file never hides anything that waits, whoever is killed at whatever moment.'),
  'G4.closed-pipe': spine('faults', 'A drain into a closed pipe or a full disk is shown again by the next drain.'),
  'G5.concurrent-drains': rule('k drains at once never show one message twice.'),
  'G5.processes': spine('faults', '32 processes released at once on 500 pending show each message exactly once.'),
  'G6.inbox-order': rule('An inbox has one order, that of commits; drains go by priority, then by that order.'),
  'G6.cursor': rule('Pages of an inbox neither skip nor repeat.'),
  'G6.clock': rule('A clock that steps back changes neither order nor delivery.'),
  'G7.conservation': rule('Every message has one delivery a recipient, each in one of eight states; doctor checks it.'),
  'G7.found': rule('A delivery that goes missing is found by the check.'),
  'G7.model': rule('Whatever is done in whatever order, the store is where the model says.'),
  'G8.strict': gates('A strict gate that is open is found whenever its agent wants to stop or use its tool.'),
  'G8.recorded': gates('Every pass that a gate did not grant is recorded, and a person is told of each.'),
  'G8.closing': gates('A strict gate is closed by a person, or by the named creator that it does not hold.'),
  'G8.refused': gates('A refused attempt to close a gate or to answer is recorded, with who tried and from where.'),
  'G8.holding': gates(
    'A program holds only itself, unless the configuration names it, and each gate names its author.',
  ),
  'G8.breach': gates('A breach closes a gate only where nobody was faster, and its question still ends.'),
  'G9.one-transaction': gates('The answer, the gate that opens and the message to the asker are one transaction.'),
  'G9.first-answer': gates('Of many answerers at once one wins, and the asker is told exactly that.'),
  'G14.fence': spine('render', 'No content closes the fence or poses as another message, sender or system tag.'),
  'G14.terminal': spine('render', 'No content sends control characters to a terminal.'),
  'G14.voice': spine(
    'scenarios',
    'In every output the words of others stand on quoted lines below the name of their author, and in no other place.',
  ),
  'G14.notices': rule('A notice quotes the words of others under their names, and costs the program that causes it.'),
  'G14.names': rule('No name can be mistaken for another agent, for everybody or for the system.'),
  'G14.text': rule('Text that the engines would keep differently is refused: NUL and lone surrogates, in every field.'),
  'G15.from': rule('The sender of a message is its caller.'),
  'G15.unverified': rule('A caller without a credential is recorded as unverified.'),
  'G15.no-posing': spine(
    'scenarios',
    'A process within a session of an AI is that agent without a name, and never speaks as a person.',
  ),
  'G15.refusals': spine(
    'scenarios',
    'A refused attempt to close a gate or answer a question is recorded: who tried, and from where.',
  ),
  'G16.token': server('faults', 'HTTP answers only to a valid token; a wrong one is refused, and guessing is slowed.'),
  'G16.table': server(
    'scenarios',
    'Every operation answers each kind of caller as the table in SECURITY.md says, and tells no more than that.',
  ),
  'G16.origin': server('faults', 'Requests for another Host, or from a page of another Origin, are refused.'),
  'G16.bounded': server('faults', 'Endless, deep, slow and many requests are refused or survived; others are served.'),
  'G16.overloads': server('conformance', 'The inbox view of PostgreSQL runs no function that another role has made.'),
  'G16.visible': server('conformance', 'A program with a token knows only of messages that it sent or was sent.'),
  'G16.scopes': server('scenarios', 'A token lets its holder do what its scope says, and no more.'),
  'G1.server-kill': server(
    'faults',
    'No push that a server acknowledged is lost when it is killed in the middle of load.',
  ),
  'S001.server': server(
    'scenarios',
    'postern serve says where it listens, has one server a store, and stops in order.',
  ),
  'S001.remote': server('scenarios', 'A command answers through a server what it answers on a store of its own.'),
  'S001.openapi': server('scenarios', 'The OpenAPI document agrees with the server, operation by operation.'),
  'S001.replies': server(
    'conformance',
    'An answer to a request with a key is kept for a day, and goes to one of many.',
  ),
  'S001.trace': server('conformance', 'A message keeps the trace context it was sent with.'),
  'S001.idempotency': server('scenarios', 'A request repeated with its Idempotency-Key is done once.'),
  'S001.etag': server('scenarios', 'A change may be tied to the version that was seen.'),
  'G17.content': rule('A message body has at most 64 KB.'),
  'G17.fields': rule('Subject, payload, keys, recipients and batches are bounded.'),
  'G17.inbox': rule('A full inbox refuses a push and drops nothing; broadcasts are exempt.'),
  'G17.measured': hooks(
    'faults',
    'A drain measures as much as its room holds, in slices and outside of transactions, whatever waits.',
  ),
  'G17.quotas': rule(
    'What a program creates is bounded, except posts, bus entries, ledger entries, handoff items, ledger topics and connections; so are the services of an agent and the kept answers of a caller.',
  ),
  'G17.hops': rule('Automatic replies end after eight hops.'),
  'G17.pair': rule('A program writes an agent or a person only at a bounded rate; what exceeds it is held.'),
  'G17.asked': rule('A question that would reach nobody in time is refused, and none is held in silence.'),
  'G17.thread': rule('A thread of agents is bounded; what exceeds it is held.'),
  'G17.told-once': rule('Of what is held a person is told once an hour.'),

  'S000.push.no-recipient': rule(
    'Without a recipient a push goes to the caller itself; without a caller it is refused.',
  ),
  'S000.push.unknown-recipient': rule('An unknown recipient is an error, never a phantom inbox.'),
  'S000.push.types': rule('A message has a type of the open set: alert, decision, event, agent, mail, gate, system, …'),
  'S000.push.ttl': rule('A message can have a time to live, by the clock of the store.'),
  'S000.clock': spine('faults', 'A step of the clock expires nothing and removes nothing, and doctor tells of it.'),
  'S000.push.forms': spine(
    'scenarios',
    "The seed's command forms work: --type, --bead, --broadcast, --ttl, --dedup-key.",
  ),
  'S000.list.forms': spine('scenarios', 'inbox list, --all and --delivered show what the seed says.'),
  'S000.drain.forms': spine('scenarios', 'inbox drain --session <id> --reconcile works.'),
  'S000.list.pending': rule('A list shows what is pending; on demand what was delivered, or everything.'),
  'S000.drain.priority': rule('A drain shows the urgent first, then the oldest.'),
  'S000.drain.cap-20': rule('A drain shows at most 20 messages; the rest stays and is counted.'),
  'S000.drain.critical': rule('Critical messages are never left out for the count.'),
  'S000.drain.oldest': rule('The oldest waiting message is always among those shown.'),
  'S000.drain.room': rule('The room of a drain always holds; what cannot fit is shown by its headline.'),
  'S000.drain.again': rule('What was delivered is never shown again.'),
  'S000.dedup.per-recipient': rule('A dedup key counts for each recipient for itself.'),
  'S000.dedup.lifetime': rule('A dedup key lives as long as its message.'),
  'S000.ttl.recorded': rule('Expiry is a recorded state, not a silent discard.'),
  'S000.reap': rule('What has been finished for longer than the retention is removed; nothing unfinished ever is.'),
  'S000.broadcast.each': rule('A broadcast reaches every agent and person but its sender, each for itself.'),
  'S000.broadcast.late': rule('A later agent gets earlier broadcasts only if asked for, and never expired ones.'),
  'S000.session.stable': rule(
    'Mail belongs to the agent, not to a session: a new session finds what the old one left.',
  ),
  'S000.self': rule('A message to oneself is stored and wakes nobody.'),
  'S000.wait': rule('A waiter is woken by what comes, in its own process or another, and misses nothing.'),
  'S000.receipt': rule('A receipt shows every step with time and evidence, and says why a message was not seen.'),
  'S000.gate.kinds': gates('A gate waits for a person, a time, a reply, a decision, a command or another gate.'),
  'S000.gate.bridge': gates('A gate that closes tells its agent and its waiters in one transaction, once.'),
  'S000.gate.moves': gates(
    'A gate is resolved, waived, expired or breached; whoever comes second is told who was first.',
  ),
  'S000.gate.self': gates('Where a person is meant only a person counts, and nobody opens what others set for them.'),
  'S000.gate.cascade': gates('A gate that closes opens the gates that wait for it.'),
  'S000.gate.times': gates(
    'Timers, time-outs, reminders and escalations are settled by whoever looks, without a server.',
  ),
  'S000.gate.requests': gates('Messages that ask people to act are closed when their gate or question ends.'),
  'S000.gate.session': gates(
    'A gate of a session is met by a mark, a command that succeeds, or a decision of this turn.',
  ),
  'S000.gate.soft': gates('A soft gate warns once in a session and never holds.'),
  'S000.gate.tool': gates('A gate on tools holds the tools it names, and no end of a turn.'),
  'S000.gate.forms': hooks('scenarios', 'The forms of gate that scripts use work, with their codes and exit codes.'),
  'S000.decision.message': gates(
    'The answer comes as one message that says everything, for an asker that has restarted.',
  ),
  'S000.decision.asked': gates('Only people who were asked may answer, with an option or, where allowed, with text.'),
  'S000.decision.deadline': gates('At the deadline the default is taken; without one the question expires.'),
  'S000.decision.orphans': gates(
    'Removing a person leaves every open question and gate known to another person, or ends it.',
  ),
  'S000.decision.await': gates(
    'Whoever waits for an answer is woken by it, by the deadline, or by the end of its patience.',
  ),
  'S000.decision.flow': hooks('scenarios', 'decision create, respond, gate resolved, message in the inbox.'),
  'S000.decision.check': hooks('scenarios', 'decision check --inject prints a note on stderr and injects nothing.'),
  'S000.event.twice': gates('An event that is fired twice within seconds is recognised.'),
  'S000.event.stops': gates('All continuations of a stop are counted in one place, and a new prompt begins anew.'),
  'S000.event.light': gates('An event is noted without waiting for the disk, unless it confirms something.'),
  'S000.search': rule('Messages are found by words, phrases and beginnings of words.'),

  'G4.hook.once': hooks('scenarios', 'What a hook has shown is seen when the session goes on, and is not shown again.'),
  'G4.hook.killed': hooks(
    'faults',
    'What a hook showed that was killed anywhere is shown again, or was printed whole.',
  ),
  'G4.hook.unread': hooks('faults', 'What a hook showed to nobody, its output not being taken, is shown again.'),
  'G4.hook.agent': hooks('faults', 'A session whose hooks name another agent is mute for neither of them.'),
  'G4.hook.unwritable': hooks('faults', 'A hook that cannot write says so where its host shows it, and leaves a line.'),
  'G4.hook.subagent': hooks('scenarios', 'Events of a subagent neither drain nor confirm.'),
  'G4.hook.deaf': hooks('scenarios', 'Nothing is consumed where the host throws away what it is told.'),
  'G4.hook.many': hooks('faults', 'However much waits, a hook answers within its budget and in time.'),
  'G8.loop': hooks('scenarios', 'The end of a turn is put off a bounded number of times; what passes then is told.'),
  'G8.refused-session': hooks(
    'faults',
    'Where the store refuses a session, its gates are judged and its stops counted.',
  ),
  'G8.unavailable': hooks(
    'faults',
    'Without a readable store strict gates hold, stops three times at most; passes are told once it is back.',
  ),
  'G8.replaced': hooks(
    'faults',
    'A store that does not know the gates of a session counts as one that cannot be read.',
  ),
  'G8.forget': hooks('faults', 'Only a person forgets the gates of a store that is gone, and the pass is told.'),
  'G8.unwritable': hooks('faults', 'Stops are counted, and passes noted, while the home cannot be written.'),
  'G8.in-time': hooks(
    'faults',
    'Whatever state the store is in, a hook answers before its host gives up, and ends with 0.',
  ),
  'G8.silence': hooks(
    'faults',
    'Whatever happens to mail, store or machine, a strict gate holds in time, or its pass is recorded and told.',
  ),
  'G8.config': hooks('faults', 'A configuration that cannot be read switches no gate off.'),
  'S000.hook.input': hooks(
    'faults',
    'Whatever a hook is given, its answer is harmless, nothing is consumed, doctor knows.',
  ),
  'S000.hook.double': hooks('scenarios', 'An event that is fired twice shows each message once.'),
  'S000.hook.compaction': hooks('scenarios', 'A compaction consumes nothing; after it nothing is lost or repeated.'),
  'S000.hook.moments': hooks('scenarios', 'Each moment shows what is urgent enough for it.'),
  'S000.hook.soft': hooks('scenarios', 'A soft gate warns once in a session.'),
  'S000.hook.markers': hooks('scenarios', "Markers are hints for their own session's gates."),
  'S000.hook.commands': hooks('scenarios', "Commands of the user's own take part in the chain, and cannot break it."),
  'S000.hook.spool': hooks('faults', "While the store is away the spool's copies are shown, and not again afterwards."),
  'G4.spool.crash': hooks('faults', 'A take that is killed anywhere loses no entry of a spool and stores none twice.'),
  'G4.spool.writers': hooks(
    'faults',
    'Producers in any language append while drains run: no entry is lost, none is shown twice.',
  ),
  'G4.spool.full-disk': hooks('faults', 'On a full disk an entry is written whole or not at all, and none is lost.'),
  'S000.spool.entry': gates('An entry of a spool becomes a message with all that it says of itself.'),
  'S000.spool.known': gates('The store wins: what the agent has under the same key, id or place is not stored again.'),
  'S000.spool.nobody': gates('An entry is from nobody whom anybody knows, and stands in the way of no notice of ours.'),
  'S000.spool.ttl': gates('A time to live counts from when the entry was written; what was over is recorded as that.'),
  'S000.spool.refused': gates('An entry that is refused stops no other; one that finds no room stays in the spool.'),
  'S000.spool.shown': gates('What was shown straight from the spool is stored as seen and not shown again.'),
  'S000.flow.spool': hooks('scenarios', 'A foreign JSONL entry reaches the agent at its next hook.'),
  'S000.flow.push': hooks('scenarios', 'A push reaches the agent at its next hook.'),
  'S000.flow.decision': hooks(
    'scenarios',
    'A decision, its answer, the gate and the message: the agent goes on and knows why.',
  ),
  'S000.flow.gate': hooks('scenarios', 'A resolved gate lets the agent go, and tells it so.'),
  'S000.flow.cap': hooks(
    'scenarios',
    'At most 20 messages a hook, critical ones never deferred, the rest still pending.',
  ),
  'S000.doctor.hooks': hooks('scenarios', 'doctor tells what went wrong in hooks, and what each host can do.'),

  'S001.space.fan-out': server('conformance', 'A post reaches every other member of its space, and never its author.'),
  'S001.space.order': server('conformance', 'Posts at once have numbers without gaps, and one order for everybody.'),
  'S001.space.history': server(
    'conformance',
    'Pages of what was said neither skip nor repeat, also while others post.',
  ),
  'S001.space.all-or-nothing': server('conformance', 'A post is in the conversation and in every inbox, or nowhere.'),
  'S001.space.members': server(
    'conformance',
    'A space has the members that were named, joined or left; only they speak.',
  ),
  'S001.space.invitation': server(
    'conformance',
    'A space is joined by invitation unless it is open, unseen by strangers, and read from joining on.',
  ),
  'S001.space.rights': server('conformance', 'A program acts only for itself, and reads only where it is a member.'),
  'S001.space.closed': server('conformance', 'People and its maker close a space; then it can only be read and left.'),
  'S001.space.enter': server(
    'conformance',
    'Whoever enters a space hears what was said last, and posts there from then on.',
  ),
  'S001.space.dedup': server(
    'conformance',
    'The same key of the same author is the same post; other words are refused.',
  ),
  'S001.space.reply': server('conformance', 'A reply to a post keeps its thread.'),
  'S001.space.names': server('conformance', 'A post shows what its author is called when it is said.'),
  'S001.space.removed': server('conformance', 'A removed agent is in no space any more and gets no more posts.'),
  'S001.space.damping': server('conformance', 'Agents that answer each other in a space come to rest.'),
  'S001.space.bounds': server('conformance', 'Ids, names and members of spaces are bounded.'),
  'S001.space.push': server('conformance', 'A push to the address of a space is a post in it.'),
  'S001.space.forms': server('scenarios', 'The forms of space that scripts use work, with their codes and exit codes.'),

  'S001.service.event': server(
    'conformance',
    'An event of a service is one message for its agent, from the service, and wakes it.',
  ),
  'S001.service.refused': server(
    'conformance',
    'Whoever cannot prove to be the service is refused, and nothing is stored.',
  ),
  'S001.service.repeat': server(
    'conformance',
    'The same delivery again is the same message; without an id each is new.',
  ),
  'S001.service.signed': server(
    'conformance',
    'A signature of Standard Webhooks proves a service, and its id is the delivery.',
  ),
  'S001.service.rotate': server(
    'conformance',
    'A new key is good at once, and the one before for as long as was said.',
  ),
  'S001.service.revoked': server('conformance', 'The keys of a revoked service are worth nothing.'),
  'S001.service.people': server('conformance', 'No program registers, rotates or revokes a service.'),
  'S001.service.sealed': server(
    'conformance',
    'Without its key file a home checks no signatures, and doctor says why.',
  ),
  'S001.service.gate': server(
    'conformance',
    'A gate that waits for a service opens with its event, if it has the right values.',
  ),
  'S001.service.forms': server(
    'scenarios',
    'The forms of service that scripts use work, with their codes and exit codes.',
  ),
  'S001.token.shown-once': server('conformance', 'A token is shown once.'),
  'S001.token.scopes': server('conformance', 'A token speaks for an administrator, or for somebody who is registered.'),
  'S001.token.revoked': server('conformance', 'A revoked token stays revoked.'),
  'S001.token.people': server('conformance', 'No program makes or revokes a token.'),
  'S001.token.forms': server('scenarios', 'The forms of token that scripts use work, with their codes and exit codes.'),
  'G16.no-oracle': server('conformance', 'A refused event tells nothing of which agents, services and keys there are.'),
  'G16.hashed': server('scenarios', 'Keys and tokens are kept as hashes, and signing secrets sealed.'),
  'S001.batch': server('conformance', 'An agent sleeps until something comes and takes all that waits as one batch.'),
  'S001.batch.settled': server(
    'conformance',
    'A batch is confirmed when its work is done, and comes again with the next attempt when it failed or was lost.',
  ),
  'S001.batch.held': server('conformance', 'Nobody else gets what an agent works on, however long it works.'),
  'S001.batch.parts': server('conformance', 'One bad message does not take the others of its batch with it.'),
  'S001.batch.bounds': server('conformance', 'A batch has at most 500 messages; what is beyond comes next, in order.'),
  'S001.batch.stop': server('conformance', 'A stopped agent finishes what it works on and takes nothing more.'),
  'S001.peek': server('conformance', 'What arrives meanwhile can be seen without being taken.'),
  'S001.inbox-text': server(
    'scenarios',
    'Events drained together are one INBOX text, a line each, first in first out.',
  ),
  'S001.event-json': server('scenarios', "The events of spaces, plans and services have exactly the seed's fields."),
  'S001.once': server('scenarios', 'The same event pushed twice is processed once.'),
  'S001.wake': server('scenarios', 'A sleeping agent is woken by another process.'),
  'S001.killed': server('scenarios', 'What an agent was killed over is handed over again, with the next attempt.'),
  'S001.examples': server('scenarios', 'Every example runs to its end and prints what it says.'),
  'events.all': server(
    'conformance',
    'Everything that happens is told of by exactly one event, in the order of commits.',
  ),
  'events.late': server('conformance', 'Whoever follows events misses none of a transaction that ends late.'),
  'events.visible': server('conformance', 'A program that has shown who it is sees only events that concern it.'),
  'events.gap': server('conformance', 'Whoever comes back too late is told that events are not kept any more.'),
  'events.wake': server('conformance', 'Whoever follows events is woken by what other processes do.'),
  'H4.once': server('scenarios', 'A hook over HTTP shows a message once, and its next event confirms it.'),
  'H4.gone': server('scenarios', 'What a host did not take from a hook over HTTP is shown again.'),
  'H4.down': server('scenarios', 'While the server is down hooks over HTTP lose nothing: the next command shows it.'),
  'H4.own': server('scenarios', 'Over HTTP nobody but the agent and administrators posts the events of its session.'),
  'H4.init': server('scenarios', 'init writes hooks over HTTP with a token of their own, and takes both back.'),
  'sse.invariants': server(
    'faults',
    'A stream of events is ordered, unique, resumable and skips nothing, whatever dies.',
  ),
  'sse.bounded': server('faults', 'Stalled streams of events are dropped, memory is bounded, and others are served.'),
  'G10.once': server('conformance', 'A plan fires once an instant, whoever asks for it and however often.'),
  'G10.servers': server(
    'conformance',
    'On any number of servers a plan fires once an instant, whichever of them fail.',
  ),
  'G10.missed': server('conformance', 'Missed instants follow the policy of their plan: the latest, none, or each.'),
  'G10.dst': server('conformance', 'On days with an hour less or more a plan fires once.'),
  'G10.clock': server('conformance', 'No instant fires twice, wherever the clock is set.'),
  'G10.kill': server('faults', 'A plan fires once an instant though those who fire it are killed at any moment.'),
  'G17.plans': server('conformance', 'An agent has a bounded number of plans that wait.'),
  'S001.plan.relative': server('conformance', 'A relative plan (runAfter) fires once, when its time has come.'),
  'S001.plan.dated': server('conformance', 'A dated plan (scheduledAt) fires once, on its date.'),
  'S001.plan.recurring': server('conformance', 'A recurring plan (cron) fires and re-arms; its next five are known.'),
  'S001.plan.passing': server('conformance', 'Due plans fire without a server, by whoever drains, waits or looks.'),
  'S001.plan.set': server('conformance', 'Plans are set by id or name, all or none; what is not said stays.'),
  'S001.plan.delete': server('conformance', 'Plans are deleted all or none; what has fired stays.'),
  'S001.plan.pause': server('conformance', 'What would come while a plan is paused never fires.'),
  'S001.plan.run': server('conformance', 'A plan fires by hand, and its own instants stay as they are.'),
  'S001.plan.gate': server('conformance', 'A plan that waits for a gate fires once that is not open.'),
  'S001.plan.full': server('conformance', 'A plan whose inbox is full stays due, and a person is told once.'),
  'S001.plan.bad-times': server('conformance', 'Bad crons, durations, dates and zones are refused, nothing is stored.'),
  'S001.plan.own': server('conformance', 'A program sets, sees and deletes its own plans alone.'),
  'S001.plan.command': server('scenarios', 'The forms of postern plan, and what they refuse.'),
  'G11.outbox': wires(
    'conformance',
    'What is committed is carried, in the order of each inbox, without a cost at push.',
  ),
  'G11.pending': wires('conformance', 'What was seen, taken back or is past its time is not carried.'),
  'G11.released': wires('conformance', 'What was held is carried once it is released.'),
  'G11.one-relays': wires(
    'conformance',
    'Of many servers one carries at a time; another goes on where it has come to.',
  ),
  'G11.late-commit': wires(
    'conformance',
    'A transaction that commits late is neither skipped nor makes others come twice.',
  ),
  'wires.rings': wires(
    'conformance',
    'A ring is heard by all who listen to the name, in whichever process, and by nobody else.',
  ),
  'wires.reconnect': wires(
    'conformance',
    'A wire that has lost its connection rings every name when it is back, and fails to ring until then.',
  ),
  'wires.names': wires('conformance', 'What is no name is neither rung nor listened to.'),
  'wires.health': wires('conformance', 'A wire says whether it rings.'),
  'wires.order': wires(
    'conformance',
    'Copies to an agent keep their order, also where one in the middle is refused or a connection breaks.',
  ),
  'wires.once': wires('conformance', 'A copy is kept once, however often it is carried.'),
  'wires.noisy': wires('conformance', 'A noisy agent never pushes out the copies of a quiet one.'),
  'wires.wiped': wires('conformance', 'A wiped stream is made again, and told, and copies go on.'),
  'S000.nats.stream': wires(
    'conformance',
    'A plain consumer reads what is carried as entries of the inject queue, on the subjects of the seed.',
  ),
  'S000.nats.durable': wires('conformance', 'A durable consumer gets what came before it was made, in order.'),
  'S000.nats.ack': wires(
    'conformance',
    'A copy is acknowledged once it was dealt with; otherwise it comes again, to the next process too.',
  ),
  'S000.nats.tokens': wires('conformance', 'No agent gets copies of others, whatever it is called.'),
  'wires.serve': wires('scenarios', 'A server carries what any process has stored to NATS and rings it through Redis.'),
  'wires.late-engine': wires(
    'scenarios',
    'A server starts and works while its engine is down, and carries once it is there.',
  ),
  'wires.sdk': wires(
    'scenarios',
    'A program that waits is woken through its wire, whichever process has stored the message.',
  ),
  'wires.secrets': wires('scenarios', 'The password or token of a wire is never shown.'),
  'wires.refusals': wires('scenarios', 'A wire that cannot be used is refused with what to do.'),
  'S001.redis.in': wires(
    'scenarios',
    'What foreign producers push to inbox:<agent> reaches the agent once and in order.',
  ),
  'S001.redis.dedup': wires('scenarios', 'A foreign event is known by its eventId, across restarts and servers.'),
  'S001.redis.provenance': wires('scenarios', 'What came through Redis never reads as from somebody who is known.'),
  'S001.redis.poison': wires('scenarios', 'An entry that cannot be read is put aside and stops no other.'),
  'S001.redis.out': wires('scenarios', 'Foreign consumers pop what waits in seed 001’s JSON; a pop is only an offer.'),
  'S001.redis.one-way': wires('scenarios', 'The list of an agent is read by us or filled by us, never both.'),
  'S001.redis.kills': wires('faults', 'Foreign lists lose and repeat nothing though servers are killed at any moment.'),
  'S001.redis.eviction': wires('scenarios', 'A Redis server that may evict is refused with advice.'),
  'G12.torn': bus(
    'faults',
    'An entry that is cut at any byte hides neither those before it nor those after, and is told.',
  ),
  'S002.writers': bus(
    'faults',
    'Every acknowledged entry of many writers is there once and in order, whoever is killed.',
  ),
  'S002.writers.foreign': bus(
    'faults',
    'Other programs write to a bus at the same time, under its lock; nothing is lost.',
  ),
  'S002.crash': bus(
    'faults',
    'A post that is killed at any storage syscall is whole or not there, and harms no other.',
  ),
  'S002.disk': bus(
    'faults',
    'An acknowledged entry survives power loss; a full disk takes an entry whole or not at all.',
  ),
  'S002.busy': bus('faults', 'Where a lock is held for ever a post is refused in time, and nothing is written.'),
  'S002.post': bus('conformance', 'An entry reads as it was said, and says who wrote it by the caller alone.'),
  'S002.verified': bus(
    'conformance',
    'An entry reads as verified only if Postern wrote it for a verified caller, on this bus and in these words.',
  ),
  'S002.verify': bus('conformance', 'An entry whose header or body was edited is found by verify.'),
  'S002.limits': bus('conformance', 'What is no entry, or no bus, is refused with its code, and nothing is written.'),
  'S002.attachments': bus('conformance', 'What is attached lies in the folder, with its checksum, and nowhere else.'),
  'S002.rotate': bus('conformance', 'A bus that is set aside is read on, and cursors stay good.'),
  'S002.read': bus('conformance', 'A bus reads in the order of its file, in pages that neither skip nor repeat.'),
  'S002.foreign': bus('conformance', 'What other programs wrote is read; what is no entry is told and hides nothing.'),
  'S002.merged': bus('conformance', 'The buses of a task and its project read as one by time, and skip nothing late.'),
  'S002.wait': bus('conformance', 'Whoever waits on a bus is told what comes, whoever writes it, and of every gap.'),
  'S002.tell': bus('conformance', 'A post may tell agents of itself, all of them or nobody.'),
  'S002.ask': bus('conformance', 'A QUESTION opens a decision, and the first ANSWER by somebody asked closes it.'),
  'S002.gate': bus('conformance', 'A gate opens with an entry on a bus that comes after it was set up.'),
  'S002.gate.hook': bus(
    'scenarios',
    'Gates on a bus hold and warn in a host, which loads no bus where none asks for it.',
  ),
  'S002.task-update': bus('conformance', 'A session is warned that its task bus has not heard of it.'),
  'S002.forms': bus('scenarios', 'The forms of bus that scripts use work, with their codes and exit codes.'),
  'S002.context': bus('scenarios', 'Which bus is meant is told by options, by the run, or by the nearest file.'),
  'S002.issues': bus('scenarios', 'Issues are ready, blocked or closed as the log tells, and circles are named.'),
  'S002.watch': bus(
    'scenarios',
    'Watching is in order and complete over rotations, editors and a server that was away.',
  ),
  'S002.bad-input': bus('scenarios', 'Bad input to the bus is refused with its code, and nothing is written.'),
  'S002.no-variables': bus('scenarios', 'No refusal of the bus tells anybody to set a variable.'),
  'S002.rest.read': bus(
    'scenarios',
    'The REST paths of the bus answer with lists of whole entries; an unknown after is 404.',
  ),
  'S002.rest.post': bus(
    'scenarios',
    'Entries are posted over REST with message or body, as USER by default; 201 with the id.',
  ),
  'S002.rest.stream': bus(
    'scenarios',
    'Streams of entries have ids, heartbeats, Last-Event-ID and the payload of the seed.',
  ),
  'S002.rest.once': bus('scenarios', 'A post that a client repeats after a broken connection is written once.'),
  'S002.stream.exact': bus(
    'faults',
    'A stream of entries is in order and complete over kills, rotations, editors and cuts.',
  ),
  'S002.stream.bounded': bus(
    'faults',
    'Stalled streams of entries are dropped, memory is bounded, and others are served.',
  ),
  'S002.run.lifecycle': bus(
    'scenarios',
    'A run tells START and STOP with the metadata of the seed, and keeps its files.',
  ),
  'S002.run.crash': bus(
    'scenarios',
    'A command that fails leaves a CRASH entry with its exit code, which is the code of the run.',
  ),
  'S002.run.environment': bus(
    'scenarios',
    'A command finds its project, task, run, folders and bus in its environment.',
  ),
  'S002.run.nested': bus('scenarios', 'A run within a run names it as its parent.'),
  'S002.run.secrets': bus(
    'scenarios',
    'No secret of a command line that has a name, a place or a shape is written down.',
  ),
  'S002.run.refused': bus(
    'scenarios',
    'A command whose START cannot be written is not started, and nothing is left of it.',
  ),
  'S002.run.output': bus('scenarios', 'A slow or closed terminal costs a run neither output nor memory nor time.'),
  'S002.run.signals': bus(
    'scenarios',
    'Signals are passed on to the group of the command, which is killed where it does not end.',
  ),
  'S002.run.killed': bus(
    'faults',
    'Runners killed at any moment leave one start and one end for every run, and none untold.',
  ),
  'S002.run.lost': bus('scenarios', 'A killed runner is noticed by the next one, and told once.'),
  'S004.forms': handoff('scenarios', 'The commands of the handoff do what they say, in words and in JSON.'),
  'S004.refusals': handoff('scenarios', 'Bad input to the handoff is refused with its code, and nothing is lost.'),
  'S004.order': handoff('scenarios', 'Items with high priority come first, then the oldest.'),
  'S004.budget': handoff('scenarios', 'An inheritance keeps to its budget; the first item is always shown.'),
  'S004.outbox': handoff('scenarios', 'The outbox takes reports in the form of the seed, and sessions read none.'),
  'S004.clean': handoff('scenarios', 'Cleaning removes only what was inherited longer ago.'),
  'S004.worktrees': handoff('scenarios', 'A worktree has folders of its own, or shares those of the main repository.'),
  'S004.set-up': handoff('scenarios', 'Items are shown only where a person has set up the handoff on this machine.'),
  'S004.tracked': handoff('scenarios', 'Files that git tracks are inherited only if a person has said so.'),
  'S004.shared-inbox': handoff('scenarios', 'Repositories leave items for each other, which one of them inherits.'),
  'S004.bridge': handoff('scenarios', 'An item can come with a message, a plan or a gate.'),
  'S004.remote': handoff('scenarios', 'The handoff works through a server, in projects that were set up there.'),
  'S004.leave': handoff('conformance', 'An item is left as it was said, or refused with nothing left behind.'),
  'S004.offer.once': handoff('conformance', 'Whoever inherits at once, and wherever, each item goes to exactly one.'),
  'S004.offer.lease': handoff(
    'conformance',
    'What is offered comes back once its session is gone or its time is over, and is never shown to two at once.',
  ),
  'S004.offer.confirm': handoff('conformance', 'Files move once it is confirmed, which is done once however often.'),
  'S004.offer.whose': handoff(
    'conformance',
    'Items for an agent or a repository go there alone, and none to its writer.',
  ),
  'S004.offer.order': handoff('conformance', 'What is offered is urgent first, then oldest, within its budget.'),
  'S004.offer.gate': handoff(
    'conformance',
    'The gate of a thread opens when that is inherited, and by nothing in a file.',
  ),
  'S004.places': handoff(
    'conformance',
    'Who is not at the machine can name only projects that were set up there, and an agent only those in which it has a session.',
  ),
  'S004.render': handoff('render', 'No item can pose as another, as one of our lines, or end the fence.'),
  'S004.seed.examples': handoff('scenarios', 'The examples of the seed, run as written, give what the seed shows.'),
  'S004.seed.writers': handoff('scenarios', 'What the shell of the seed writes is inherited, whatever its name.'),
  'S004.seed.reader': handoff('scenarios', 'The reader of the seed reads what a session leaves here.'),
  'S004.seed.folders': handoff('scenarios', 'The folders that the seed makes and those that init makes are the same.'),
  'S004.seed.priority': handoff(
    'scenarios',
    'High priority is shown before medium and that before low, then the oldest.',
  ),
  'S004.seed.clean': handoff('scenarios', 'What was processed long ago can be removed, and nothing else is.'),
  'S004.seed.whole': handoff(
    'scenarios',
    'CRLF, a missing front matter, rules and type lines in bodies and quotes are all kept and shown.',
  ),
  'S004.seed.cost': handoff(
    'scenarios',
    'The cost is shown: 50 tokens or less where nothing waits, usually under 500.',
  ),
  'S004.hook.inherit': handoff('scenarios', 'A session is shown at its beginning what was left, or that nothing was.'),
  'S004.hook.confirm': handoff('scenarios', 'Files move to processed once the session goes on, and not before.'),
  'S004.hook.again': handoff('scenarios', 'What a host never went on with is shown again.'),
  'S004.hook.once': handoff(
    'scenarios',
    'A hook that is installed twice shows an item once, and subagents are shown none.',
  ),
  'S004.hook.refused': handoff(
    'scenarios',
    'An agent is told once of an unreadable handoff file, and again when the file changes.',
  ),
  'S004.hook.room': handoff('scenarios', 'What does not fit into the answer waits, and is named.'),
  'S004.hook.idle': handoff('scenarios', 'Where there is no handoff, or it is broken, hooks answer as ever.'),
  'S004.hook.posted': handoff('scenarios', 'An event that comes over HTTP confirms what the session was shown.'),
  'S004.harvest': handoff(
    'scenarios',
    'Where it is configured, a session is asked once what it leaves, with the test of the seed and the exact command.',
  ),
  'S004.inherit.killed': handoff(
    'faults',
    'A hook or command that is killed while it inherits loses no item and moves none that was not shown.',
  ),
  'S004.files.at-once': handoff('faults', 'Whoever leaves items in one moment, each has a file of its own.'),
  'S004.files.killed': handoff('faults', 'An item is there whole or not at all, and archived once, whoever is killed.'),
  'S004.files.hostile': handoff('faults', 'Nothing in an inbox but plain files of its owner is ever opened or moved.'),
  'S004.files.half-written': handoff('faults', 'Nobody is shown half of what is being written and never the rest.'),
  'S004.inherit.at-once': handoff('faults', 'Sessions that begin at once share each item exactly once.'),
  'B1.unknown-outcome': wires(
    'faults',
    'A push whose connection was cut around the commit is stored exactly once when it is repeated with its key.',
  ),
  'B1.stopped': wires(
    'faults',
    'Every acknowledged push survives PostgreSQL being stopped immediately, and unknown outcomes resolve by their key.',
  ),
  'B2.late-commit': wires(
    'faults',
    'Whoever follows cursors is told exactly once of a transaction that commits late with lower numbers.',
  ),
  'G11.outages': wires(
    'faults',
    'Stopping, killing or wiping NATS, Redis or a spool loses nothing, shows nothing twice, and is caught up within 30 s.',
  ),
  'S000.nats.foreign': wires(
    'scenarios',
    'A plain NATS consumer reads what servers publish, in order, as the seed writes it.',
  ),
  'S000.nats.hostile-id': wires(
    'scenarios',
    'No id can be registered that would make somebody hear what is for others.',
  ),
  'S000.path.local': wires('scenarios', 'With neither NATS nor courier the next hook shows what was pushed.'),
  'S000.path.nats': wires(
    'scenarios',
    'A push goes through the store, NATS and the courier to the spool, and a hook shows it once.',
  ),
  'S000.path.degraded': wires(
    'scenarios',
    "With NATS down a push is found by the courier's heartbeat, and by the next session start.",
  ),
  'S000.courier.wires': wires(
    'scenarios',
    'A courier needs no NATS: it is rung through Redis, by a server, or by the store itself.',
  ),
  'S000.courier.nudge': wires('scenarios', 'A courier nudges an agent that rests and leaves one that works alone.'),
  'S000.courier.killed': wires(
    'scenarios',
    'A courier that is killed between its write and its acknowledgement, or replays a stream, shows nothing twice.',
  ),
  'S000.courier.spool-deleted': wires('scenarios', 'A spool that is deleted loses nothing.'),
  'S000.courier.store-away': wires(
    'scenarios',
    'What a courier has brought is shown while the store is away, and not again when it is back.',
  ),
  'S003.contract': ledger('conformance', 'What one ledger promises, the other does: one suite runs against both.'),
  'S003.topics': ledger(
    'conformance',
    "Every agent, people too, has an inbound and an outbound topic with the seed's memos, made once.",
  ),
  'S003.profile': ledger(
    'conformance',
    "An agent's profile is published as HCS-11 and as the seed's agent_definition, with capabilities of its own.",
  ),
  'S003.send': ledger(
    'conformance',
    'A message is on the topic of its recipient and in its inbox, both or neither, and is shown once.',
  ),
  'S003.send.all': ledger('conformance', 'ALL is everybody but the sender, each with a message of its own.'),
  'S003.send-inbox': ledger('conformance', 'What a system has to say comes into the inbox and is on no ledger.'),
  'S003.fast-path': ledger(
    'conformance',
    'On a ledger elsewhere what is urgent is in the inbox at once and the rest when its entry comes, each once.',
  ),
  'S003.note': ledger(
    'conformance',
    'A note stands on the topic of its work item and reaches each whom it names, once.',
  ),
  'S003.routing': ledger(
    'conformance',
    'A blocked task reaches those of the routing table with priority 1; who is not registered is skipped and reported.',
  ),
  'S003.inbox-view': ledger(
    'conformance',
    "The seed's inbox is a view with its columns; on PostgreSQL it takes what is inserted and what is processed.",
  ),
  'S003.chunks': ledger(
    'conformance',
    'A message in parts is put together in whatever order, and however often, they come.',
  ),
  'S003.spoofed': ledger('conformance', 'Whoever did not pay for an entry is not its sender, whatever it claims.'),
  'S003.handshake': ledger(
    'conformance',
    'An outsider completes the handshake with an agent, and both exchange messages.',
  ),
  'S003.verify': ledger('conformance', 'A topic that was altered by one byte is found, with its first bad entry.'),
  'S003.privacy': ledger(
    'conformance',
    'What is published is a choice; a secret or an empty purse stops it before anything is stored.',
  ),
  'S003.listener.killed': ledger(
    'faults',
    'A listener that is killed at any point goes on without loss or repetition.',
  ),
  'S003.mirror': ledger('faults', 'A mirror that lags, answers 429, repeats or has gaps delays and never loses.'),
  'S003.publisher': ledger(
    'faults',
    'What was decided on is published once, though answers are lost and publishers are killed.',
  ),
  'S003.commands': ledger(
    'scenarios',
    'Every part of the ledger is a command, with JSON, exit codes, and the name of the ledger in its answer.',
  ),
  'S003.parity': ledger('scenarios', 'Command line, HTTP and library answer alike.'),
  'S003.permissions': ledger(
    'scenarios',
    "An agent's token speaks for that agent alone, reads no inbox of another by its topic, and administers nothing.",
  ),
  'S003.reader': ledger(
    'scenarios',
    'A person reads the own inbox: unprocessed first, newest first, with priorities of 1 to 5.',
  ),
  'S003.proof': ledger('scenarios', 'An exported topic is checked by its file alone, and every change of it is found.'),
  'S003.bad-input': ledger('scenarios', 'Bad input is refused with its code, and nothing is published or stored.'),
  'S003.sdk': ledger('hiero', 'The unmodified SDK of Hedera works against `ledger serve`.'),
  'S003.serve': ledger(
    'scenarios',
    'An outsider who speaks the real protocol reaches an agent through `ledger serve`.',
  ),
  'mcp.once': mcp(
    'conformance',
    'A change under a key is made once and answered the same again; other content under it is refused.',
  ),
  'mcp.hostile': mcp(
    'faults',
    'Whatever the arguments, every tool answers with a result of its schema or with advice, and harms nothing.',
  ),
  'mcp.stdout': mcp('faults', 'Nothing but lines of the protocol is on stdout, whatever comes on stdin.'),
  'mcp.shown': mcp(
    'faults',
    'What inbox_check shows is seen with the next call or a good end; what a kill leaves open is shown again, and nothing is lost.',
  ),
  'mcp.killed': mcp(
    'faults',
    'A server that is killed at its end still settles: a client that signalled it or lives on has seen its last messages, one that is gone gets them again.',
  ),
  'mcp.bounded': mcp(
    'faults',
    'MCP tools and resources render no more than they show, however much hostile text there is.',
  ),
  'mcp.concurrent': mcp('faults', 'Two connections of one agent never show one message twice.'),
  'mcp.talk': mcp(
    'scenarios',
    'Two agents talk only through MCP: push, receipt, reply, decision, handoff; repeated under a key it is done once.',
  ),
  'mcp.seeds': mcp('scenarios', 'The tools that the seeds name are there on demand, and do what the seeds say.'),
  'mcp.identity': mcp(
    'scenarios',
    'Who an agent is says its connection; no argument and no tool makes it another, or a person.',
  ),
  'mcp.elicitation': mcp(
    'scenarios',
    'A person before a client that can ask is asked at once; whatever becomes of that, the durable question counts.',
  ),
  'mcp.resources': mcp(
    'scenarios',
    'Inbox, thread, decision, gate and bus can be looked at, and changes of them are told.',
  ),
  'page.read': page('conformance', 'Who reads a message has seen that one, and no other.'),
  'page.snooze': page(
    'conformance',
    'What an agent puts off is not shown before its time, comes back by itself, and tells every step.',
  ),
  'page.metrics': page('conformance', 'What has happened over a while is told in steps for plots, by bounded looks.'),
  'page.services': page('conformance', 'The last events of a service are listed, and one can be brought once more.'),
  'page.terminal': page(
    'scenarios',
    'Whoever stays in the terminal sees what waits for them, who is alive, and what happens, and nothing that it would obey.',
  ),
  'page.demo': page(
    'scenarios',
    'The demo shows every part at work, touches nothing of the user, and leaves nothing behind.',
  ),
  'page.answer': page(
    'web',
    'A decision is answered with the keyboard alone, and the waiting agent is shown the answer.',
  ),
  'page.gate': page('web', 'A gate is resolved with a reason, which its agent is told.'),
  'page.follow': page('web', 'The page shows by itself how far a message has come, and why not yet.'),
  'page.resume': page('web', 'What the page follows goes on after a restart of the server, without being loaded anew.'),
  'page.harm': page('web', 'Nothing that anybody writes runs in the page or makes it fetch anything.'),
  'page.keyboard': page('web', 'Every link and button of the page can be pressed by Enter.'),
  'page.long-lists': page('web', 'Ten thousand messages scroll without stutter.'),
  'page.looks': page('web', 'The page fits a phone, and has no serious fault for those who see or hear it otherwise.'),
  'page.size': page('web', 'The page loads at most 60 KB before the inbox is there.'),
  'page.sign-in': page(
    'scenarios',
    'A person gets into the page by a link that is good once, stays there across restarts, and no agent gets in.',
  ),
  'page.sign-in-file': page(
    'web',
    'A private file leads the browser to the sign-in link, so no argument list holds it.',
  ),
  'files.private': spine('scenarios', 'Every file of the home is private, whatever the umask.'),
  'config.plain-file': spine(
    'scenarios',
    'A configuration file is a plain file of at most 64 KB. Any other is refused at once.',
  ),
} as const satisfies Readonly<Record<string, Requirement>>

export type RequirementId = keyof typeof REQUIREMENTS
