/** The books of the ledger, with a forged history for each kind of violation, and with permitted ones. */
import { describe, expect, it } from 'vitest'
import type { Message } from '../../faults/sessions/message.ts'
import { CallHistory, type CallScript } from './call-history.ts'
import { RefreshChain, SingleUse } from './credentials.ts'
import { CounterValues, Effect } from './effects.ts'
import { type ClientLedger, Ledger, type ViolationKind } from './ledger.ts'
import { OpenCalls } from './open-calls.ts'
import { SessionLife } from './session-life.ts'
import { StateHistory } from './state-history.ts'
import { StreamPositions } from './stream-positions.ts'
import { Topic, TopicListener } from './topics.ts'

/** Writes a history into a new ledger. */
type Write = (ledger: ClientLedger) => void

const progress = (value: number, token = 7): Message => ({
  method: 'notifications/progress',
  params: { progressToken: token, progress: value },
})
const result = (text: string, id = 7): Message => ({ id, result: { content: [{ text }] } })
const INTERRUPTED: Message = {
  id: 7,
  result: {
    isError: true,
    content: [{ text: 'The server was interrupted while this call was running. Check first.' }],
  },
}

const SCRIPT: CallScript = {
  id: 7,
  tool: 'progress',
  before: ['progress 7 1', 'progress 7 2', 'progress 7 3'],
  accepts: ({ result: received }) => received?.content?.[0]?.text === 'done',
}

/** A call that receives these messages. */
function call(
  messages: readonly Message[],
  { wasKilled = true, ends = false }: { wasKilled?: boolean; ends?: boolean } = {},
): Write {
  return (ledger) => {
    const history = new CallHistory(ledger, SCRIPT, () => wasKilled)
    const calls = new OpenCalls(ledger, [history])
    for (const message of messages) calls.receive(message)
    if (ends) history.end()
  }
}

/** A stream of consecutive events with these ids. */
function stream(...ids: readonly string[]): Write {
  return (ledger) => {
    const positions = new StreamPositions(ledger, 'a stream', true)
    for (const id of ids) positions.receive(id)
  }
}

/** Publishes as many changes, of which the ones listed are not acknowledged. */
function publish(topic: Topic, count: number, unacknowledged: readonly number[] = []): void {
  for (let done = 0; done < count; done++) {
    const publication = topic.publish()
    topic.finish(publication, !unacknowledged.includes(publication))
  }
}

const receive = (listener: TopicListener, topic: Topic, ...publications: readonly number[]) => {
  for (const publication of publications) listener.receive(topic.uriOf(publication))
}

/** A listener that begins after five changes. */
function listening(write: (listener: TopicListener, topic: Topic) => void): Write {
  return (ledger) => {
    const topic = new Topic('t')
    publish(topic, 5)
    const listener = new TopicListener(ledger, topic)
    listener.acknowledged()
    write(listener, topic)
  }
}

/** A listener of four changes that receives these. */
const changes = (...publications: readonly number[]): Write =>
  listening((listener, topic) => {
    publish(topic, 4)
    receive(listener, topic, ...publications)
    listener.settle()
  })

/** Two requests with a response, one without, and one that was refused. */
const effect =
  (value: number): Write =>
  (ledger) => {
    const counted = new Effect(ledger, 'counter')
    counted.mayHappen(4)
    counted.cannotHappen()
    counted.hasHappened()
    counted.hasHappened()
    counted.check(value)
  }

const counter: Write = (ledger) => {
  const values = new CounterValues(ledger, 'counter')
  for (const value of [1, 3, 3]) values.receive(value)
}

const session =
  (write: (life: SessionLife) => unknown): Write =>
  (ledger) =>
    write(new SessionLife(ledger, 'session'))

const code =
  (write: (code: SingleUse) => unknown): Write =>
  (ledger) =>
    write(new SingleUse(ledger, 'a code'))

/** Presents refresh tokens at these times, of which the last one is answered so. */
const chain =
  (presentedAt: readonly number[], answer: (chain: RefreshChain) => unknown): Write =>
  (ledger) => {
    const tokens = new RefreshChain(ledger)
    for (const at of presentedAt) tokens.present(at)
    answer(tokens)
  }

const state =
  (write: (history: StateHistory) => unknown): Write =>
  (ledger) =>
    write(new StateHistory(ledger, 'created'))

const overManyTurns = listening((listener, topic) => {
  for (let round = 0; round < 10; round++) {
    const first = 5 + round * 9
    publish(topic, 9, [first + 2, first + 3])
    const all = Array.from({ length: 9 }, (_, index) => first + index)
    receive(listener, topic, ...all.filter((publication) => publication !== first + 2))
    expect(listener.isComplete).toBe(true)
  }
  listener.settle()
})

const HISTORIES: readonly (readonly [what: string, kinds: readonly ViolationKind[], Write])[] = [
  [
    'a call that is complete',
    [],
    call([progress(1), progress(2), progress(3), result('done')], { ends: true }),
  ],
  ['a call that was interrupted before its first message', [], call([INTERRUPTED])],
  ['a call that was interrupted later', [], call([progress(1), progress(2), INTERRUPTED])],
  ['a skipped message', ['lost-message'], call([progress(1), progress(3), INTERRUPTED])],
  ['a missing last message', ['lost-message'], call([progress(1), progress(2), result('done')])],
  ['a repeated message', ['duplicated-message'], call([progress(1), progress(2), progress(2)])],
  ['a repeated response', ['duplicated-message'], call([INTERRUPTED, INTERRUPTED])],
  ['two exchanged messages', ['reordered-message'], call([progress(2), progress(1)])],
  [
    'a message after the response',
    ['reordered-message'],
    call([progress(1), INTERRUPTED, progress(2)]),
  ],
  ['a progress token of another call', ['foreign-message'], call([progress(1, 8)])],
  ['a response to another call', ['foreign-message'], call([result('done', 8)])],
  ['a result of another call', ['unexpected-answer'], call([result('other')])],
  ['a stream without a response', ['lost-message'], call([progress(1)], { ends: true })],
  [
    'an interruption without a kill',
    ['unexpected-answer'],
    call([INTERRUPTED], { wasKilled: false }),
  ],

  ['event ids that grow, under any seal', [], stream('a~1', 'a~2', 'b~3')],
  ['a skipped event id', ['lost-message'], stream('a~1', 'a~3')],
  ['a first event id that is not 1', ['lost-message'], stream('a~2')],
  ['an event id that is used twice', ['duplicated-message'], stream('a~1', 'b~1')],
  ['a lower event id', ['reordered-message'], stream('a~1', 'a~2', 'a~1')],
  ['an event id without a number', ['unexpected-answer'], stream('a')],

  ['acknowledged changes in order, over many turns of the URIs', [], overManyTurns],
  [
    'missing changes of a stream without an event id',
    [],
    listening((listener, topic) => {
      publish(topic, 3)
      listener.excuse()
      publish(topic, 2)
      receive(listener, topic, 8, 9)
      listener.settle()
    }),
  ],
  [
    'changes of a stream without an event id that come after all',
    [],
    listening((listener, topic) => {
      publish(topic, 3)
      listener.excuse()
      listener.settle()
      receive(listener, topic, 5, 6, 7)
    }),
  ],
  [
    'a repeated change after more than a round of URIs without an event id',
    ['duplicated-message'],
    listening((listener, topic) => {
      publish(topic, 14)
      listener.excuse()
      publish(topic, 3)
      receive(listener, topic, 19, 20, 21, 21)
      listener.settle()
    }),
  ],
  ['a skipped change', ['lost-message'], changes(5, 7, 8)],
  ['a missing last change', ['lost-message'], changes(5, 6, 7)],
  ['a listener without a change', ['silent-subscription'], changes()],
  ['a repeated change', ['duplicated-message'], changes(5, 6, 6, 7, 8)],
  ['two exchanged changes', ['reordered-message'], changes(5, 7, 6, 8)],
  [
    'a change of another topic',
    ['foreign-message'],
    listening((listener) => listener.receive('probe://item/other-1')),
  ],
  [
    'a stream that skips a change and breaks before the last one',
    ['lost-message'],
    listening((listener, topic) => {
      publish(topic, 4)
      receive(listener, topic, 5, 7)
      listener.close()
    }),
  ],

  ['an effect of each acknowledged request', [], effect(2)],
  ['an effect of the unacknowledged request too', [], effect(3)],
  ['an effect that no request explains', ['repeated-effect'], effect(4)],
  ['an acknowledged effect that did not last', ['lost-effect'], effect(1)],
  ['a counter that answers a value twice', ['lost-effect'], counter],

  [
    'a termination without a response, and a session that ends later',
    [],
    session((life) => [life.ending(), life.answered(200), life.answered(404)]),
  ],
  [
    'a valid session that answers 404',
    ['forgotten-session'],
    session((life) => life.answered(404)),
  ],
  [
    'a terminated session that is served',
    ['revived-session'],
    session((life) => [life.ended(), life.answered(200)]),
  ],
  [
    'a session that answers 404 and is served again',
    ['revived-session'],
    session((life) => [life.ending(), life.answered(404), life.answered(202)]),
  ],
  [
    'a session that is served to another principal',
    ['revived-session'],
    session((life) => life.answeredToOther(200)),
  ],

  [
    'a code that is refused after its redemption',
    [],
    code((one) => [one.succeeded(), one.refused()]),
  ],
  ['a code that is refused after a lost response', [], code((one) => [one.lost(), one.refused()])],
  [
    'a code that is redeemed twice',
    ['credential-redeemed-twice'],
    code((one) => [one.succeeded(), one.succeeded()]),
  ],
  ['a code that is refused at first', ['forgotten-credential'], code((one) => one.refused())],

  [
    'a refresh token whose repetition has the same successor',
    [],
    chain([0], (tokens) => [tokens.succeeded('second'), tokens.succeeded('second')]),
  ],
  [
    'a refresh token with two successors',
    ['credential-redeemed-twice'],
    chain([0], (tokens) => [tokens.succeeded('second'), tokens.succeeded('other')]),
  ],
  [
    'a successor that is refreshed',
    [],
    chain([0], (tokens) => [
      tokens.succeeded('second'),
      tokens.advance(),
      tokens.present(1000),
      tokens.succeeded('third'),
    ]),
  ],
  [
    'a newest refresh token that is refused within the grace',
    ['forgotten-credential'],
    chain([0], (tokens) => tokens.refused(5000)),
  ],
  [
    'a refresh token that is refused after the grace of its lost redemption',
    [],
    chain([0, 26_000], (tokens) => tokens.refused(26_000)),
  ],

  [
    'a state after writes with and without a response',
    [],
    state((value) => [value.written('a', true), value.lost('b'), value.read('a'), value.read('a')]),
  ],
  [
    'an acknowledged write of a state that did not last',
    ['lost-effect'],
    state((value) => [value.written('a', true), value.read('created')]),
  ],
  [
    'a state that returns to an earlier value',
    ['lost-effect'],
    state((value) => [value.lost('a'), value.read('a'), value.read('created')]),
  ],
  [
    'a refused write of a state',
    ['unexpected-answer'],
    state((value) => value.written('a', false)),
  ],
]

describe('the ledger', () => {
  it.each(HISTORIES)('judges %s as %j', (_, kinds, write) => {
    const ledger = new Ledger()
    write(ledger.client('client'))
    expect(ledger.violations.map(({ kind }) => kind)).toEqual(kinds)
  })

  it('prints the last lines of the client of a violation, and none of other clients', () => {
    const ledger = new Ledger()
    const client = ledger.client('lane/one')
    const other = ledger.client('other/two')
    for (let line = 0; line < 100; line++) client.note(`line ${line}`)
    other.note('of another client')
    ledger.noteAll('lane', 'kill 1')
    client.violation('lost-message', 'It never came')
    const [violation] = ledger.violations
    expect(violation?.client).toBe('lane/one')
    expect(violation?.lines).toHaveLength(40)
    expect(violation?.lines.slice(-3).map((line) => line.replace(/^\d+ ms {2}/, ''))).toEqual([
      'line 99',
      'kill 1',
      'VIOLATION lost-message: It never came',
    ])
    expect(violation?.lines.join()).not.toContain('of another client')
  })
})
