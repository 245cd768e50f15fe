/** The books of the ledger, with a forged history for each kind of violation, and with permitted ones. */
import { describe, expect, it } from 'vitest'
import type { Message } from '../../faults/sessions/message.ts'
import { CallHistory, type CallScript } from './call-history.ts'
import { RefreshChain, SingleUse } from './credentials.ts'
import { CounterValues, Effect } from './effects.ts'
import { type ClientLedger, Ledger, type ViolationKind } from './ledger.ts'
import { OpenCalls } from './open-calls.ts'
import { SessionLife } from './session-life.ts'
import { StreamPositions } from './stream-positions.ts'
import { Topic, TopicListener } from './topics.ts'

/** Writes a history into a new ledger and returns the kinds of its violations. */
function kindsOf(write: (ledger: ClientLedger) => void): ViolationKind[] {
  const ledger = new Ledger()
  write(ledger.client('client'))
  return ledger.violations.map(({ kind }) => kind)
}

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

/** The kinds of violations of one call that receives these messages. */
function ofCall(
  messages: readonly Message[],
  { wasKilled = true, ends = false }: { wasKilled?: boolean; ends?: boolean } = {},
): ViolationKind[] {
  return kindsOf((ledger) => {
    const history = new CallHistory(ledger, SCRIPT, () => wasKilled)
    const calls = new OpenCalls(ledger, [history])
    for (const message of messages) calls.receive(message)
    if (ends) history.end()
  })
}

describe('the history of a call', () => {
  it.each<[string, Message[]]>([
    ['is complete', [progress(1), progress(2), progress(3), result('done')]],
    ['was interrupted before its first message', [INTERRUPTED]],
    ['was interrupted between two messages', [progress(1), progress(2), INTERRUPTED]],
  ])('has no violation when the call %s', (_, messages) => {
    expect(ofCall(messages, { ends: true })).toEqual([])
  })

  it.each<[string, ViolationKind, Message[]]>([
    ['a message is skipped', 'lost-message', [progress(1), progress(3), INTERRUPTED]],
    ['the last message is missing', 'lost-message', [progress(1), progress(2), result('done')]],
    ['a message comes twice', 'duplicated-message', [progress(1), progress(2), progress(2)]],
    ['the response comes twice', 'duplicated-message', [INTERRUPTED, INTERRUPTED]],
    ['two messages change places', 'reordered-message', [progress(2), progress(1)]],
    [
      'a message follows the response',
      'reordered-message',
      [progress(1), INTERRUPTED, progress(2)],
    ],
    ['a message has the progress token of another call', 'foreign-message', [progress(1, 8)]],
    ['a response has the id of another call', 'foreign-message', [result('done', 8)]],
    ['the result is that of another call', 'unexpected-answer', [result('other')]],
  ])('has a violation when %s', (_, kind, messages) => {
    expect(ofCall(messages)).toEqual([kind])
  })

  it('has a violation when the stream ends without a response', () => {
    expect(ofCall([progress(1)], { ends: true })).toEqual(['lost-message'])
  })

  it('has a violation when the call was interrupted although the server was not killed', () => {
    expect(ofCall([INTERRUPTED], { wasKilled: false })).toEqual(['unexpected-answer'])
  })
})

describe('the positions of a stream', () => {
  const ofStream = (isGapless: boolean, ...ids: string[]) =>
    kindsOf((ledger) => {
      const positions = new StreamPositions(ledger, 'a stream', isGapless)
      for (const id of ids) positions.receive(id)
    })

  it('have no violation when they grow, under any seal', () => {
    expect(ofStream(true, 'a~1', 'a~2', 'b~3')).toEqual([])
    expect(ofStream(false, 'a~1700', 'b~1705')).toEqual([])
  })

  it.each<[string, ViolationKind, string[]]>([
    ['a number is skipped', 'lost-message', ['a~1', 'a~3']],
    ['the first number is not 1', 'lost-message', ['a~2']],
    ['a number is used twice', 'duplicated-message', ['a~1', 'b~1']],
    ['a number is lower than the last', 'reordered-message', ['a~1', 'a~2', 'a~1']],
    ['an event has no number', 'unexpected-answer', ['a']],
  ])('have a violation when %s', (_, kind, ids) => {
    expect(ofStream(true, ...ids)).toEqual([kind])
  })
})

describe('a listener of a topic', () => {
  /** Publishes as many changes, of which the ones listed are not acknowledged. */
  function publish(topic: Topic, count: number, unacknowledged: readonly number[] = []): void {
    for (let done = 0; done < count; done++) {
      const publication = topic.publish()
      topic.finish(publication, !unacknowledged.includes(publication))
    }
  }

  function ofTopic(write: (listener: TopicListener, topic: Topic) => void): ViolationKind[] {
    return kindsOf((ledger) => {
      const topic = new Topic('t')
      publish(topic, 5)
      const listener = new TopicListener(ledger, topic)
      listener.acknowledged()
      write(listener, topic)
    })
  }

  const receive = (listener: TopicListener, topic: Topic, ...publications: number[]) => {
    for (const publication of publications) listener.receive(topic.uriOf(publication))
  }

  it('has no violation when every acknowledged change comes in order, over many turns', () => {
    const kinds = ofTopic((listener, topic) => {
      for (let round = 0; round < 10; round++) {
        publish(topic, 9, [7 + round * 9, 8 + round * 9])
        const first = 5 + round * 9
        const all = Array.from({ length: 9 }, (_, index) => first + index)
        receive(listener, topic, ...all.filter((publication) => publication !== first + 2))
        expect(listener.isComplete).toBe(true)
      }
      listener.settle()
    })
    expect(kinds).toEqual([])
  })

  it('has no violation when changes of a stream without an event id are missing', () => {
    const kinds = ofTopic((listener, topic) => {
      publish(topic, 3)
      listener.excuse()
      publish(topic, 2)
      receive(listener, topic, 8, 9)
      listener.settle()
    })
    expect(kinds).toEqual([])
  })

  it('knows a change after more than a round of URIs was missed without an event id, and one that comes again', () => {
    const kinds = ofTopic((listener, topic) => {
      publish(topic, 14)
      listener.excuse()
      publish(topic, 3)
      receive(listener, topic, 19, 20, 21, 21)
      listener.settle()
    })
    expect(kinds).toEqual(['duplicated-message'])
  })

  it.each<[string, ViolationKind, number[]]>([
    ['a change is skipped', 'lost-message', [5, 7, 8]],
    ['the last change is missing', 'lost-message', [5, 6, 7]],
    ['no change comes', 'silent-subscription', []],
    ['a change comes twice', 'duplicated-message', [5, 6, 6, 7, 8]],
    ['two changes change places', 'reordered-message', [5, 7, 6, 8]],
  ])('has a violation when %s', (_, kind, publications) => {
    const kinds = ofTopic((listener, topic) => {
      publish(topic, 4)
      receive(listener, topic, ...publications)
      listener.settle()
    })
    expect(kinds).toEqual([kind])
  })

  it('has a violation when a change of another topic comes', () => {
    const kinds = ofTopic((listener) => listener.receive('probe://item/other-1'))
    expect(kinds).toEqual(['foreign-message'])
  })

  it('has a violation for what its stream skipped, and none for the rest, when the stream breaks', () => {
    const kinds = ofTopic((listener, topic) => {
      publish(topic, 4)
      receive(listener, topic, 5, 7)
      listener.close()
    })
    expect(kinds).toEqual(['lost-message'])
  })
})

describe('a side effect', () => {
  const ofEffect = (value: number) =>
    kindsOf((ledger) => {
      const effect = new Effect(ledger, 'counter')
      // Two requests with a response, one without, and one that was refused.
      effect.mayHappen(4)
      effect.cannotHappen()
      effect.hasHappened()
      effect.hasHappened()
      effect.check(value)
    })

  it.each([2, 3])('has no violation when it happened %i times', (value) => {
    expect(ofEffect(value)).toEqual([])
  })

  it('has a violation when it happened more often than requests can explain', () => {
    expect(ofEffect(4)).toEqual(['repeated-effect'])
  })

  it('has a violation when an acknowledged one did not last', () => {
    expect(ofEffect(1)).toEqual(['lost-effect'])
  })

  it('has a violation when a counter answers a value twice', () => {
    const kinds = kindsOf((ledger) => {
      const values = new CounterValues(ledger, 'counter')
      for (const value of [1, 3, 3]) values.receive(value)
    })
    expect(kinds).toEqual(['lost-effect'])
  })
})

describe('the life of a session', () => {
  const ofSession = (write: (life: SessionLife) => void) =>
    kindsOf((ledger) => write(new SessionLife(ledger, 'session')))

  it('has no violation when an unacknowledged termination has an effect or none', () => {
    const kinds = ofSession((life) => {
      life.ending()
      life.answered(200)
      life.answered(404)
    })
    expect(kinds).toEqual([])
  })

  it('has a violation when a valid session answers 404', () => {
    expect(ofSession((life) => life.answered(404))).toEqual(['forgotten-session'])
  })

  it('has a violation when a terminated session is served', () => {
    const kinds = ofSession((life) => {
      life.ended()
      life.answered(200)
    })
    expect(kinds).toEqual(['revived-session'])
  })

  it('has a violation when a session that answered 404 is served again', () => {
    const kinds = ofSession((life) => {
      life.ending()
      life.answered(404)
      life.answered(202)
    })
    expect(kinds).toEqual(['revived-session'])
  })

  it('has a violation when another principal is served', () => {
    expect(ofSession((life) => life.answeredToOther(200))).toEqual(['revived-session'])
  })
})

describe('a credential that is redeemed once', () => {
  const ofCredential = (write: (credential: SingleUse) => void) =>
    kindsOf((ledger) => write(new SingleUse(ledger, 'a code')))

  it('has no violation when it is refused after its redemption, or after a lost response', () => {
    const redeemed = ofCredential((code) => {
      code.succeeded()
      code.refused()
    })
    const lost = ofCredential((code) => {
      code.lost()
      code.refused()
    })
    expect([redeemed, lost]).toEqual([[], []])
  })

  it('has a violation when it is redeemed twice', () => {
    const kinds = ofCredential((code) => {
      code.succeeded()
      code.succeeded()
    })
    expect(kinds).toEqual(['credential-redeemed-twice'])
  })

  it('has a violation when it is refused before its redemption', () => {
    expect(ofCredential((code) => code.refused())).toEqual(['forgotten-credential'])
  })
})

describe('a chain of refresh tokens', () => {
  const ofChain = (write: (chain: RefreshChain) => void) =>
    kindsOf((ledger) => write(new RefreshChain(ledger)))

  it('has no violation when a repeated refresh has the same successor', () => {
    const kinds = ofChain((chain) => {
      chain.present(0)
      chain.succeeded('second')
      chain.succeeded('second')
      chain.advance()
      chain.present(1000)
      chain.succeeded('third')
    })
    expect(kinds).toEqual([])
  })

  it('has a violation when one token has two successors', () => {
    const kinds = ofChain((chain) => {
      chain.present(0)
      chain.succeeded('second')
      chain.succeeded('other')
    })
    expect(kinds).toEqual(['credential-redeemed-twice'])
  })

  it('has a violation when the newest token is refused within the grace', () => {
    const kinds = ofChain((chain) => {
      chain.present(0)
      chain.refused(5000)
    })
    expect(kinds).toEqual(['forgotten-credential'])
  })

  it('has no violation when a token is refused after the grace of its lost redemption', () => {
    const kinds = ofChain((chain) => {
      chain.present(0)
      chain.present(26_000)
      chain.refused(26_000)
    })
    expect(kinds).toEqual([])
  })
})

describe('a violation', () => {
  it('has the last lines of its client, and none of other clients', () => {
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
