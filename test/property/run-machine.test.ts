/** The run state machine under random sequences of events, with a model of its row. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideRun, hasRow, isLive, isOver, QUICK } from '../../durable-objects/run/decide-run.ts'
import type {
  RunDecision,
  RunEvent,
  RunState,
  StoredState,
} from '../../durable-objects/run/run-state.ts'
import { EMPTY_STATE } from '../../src/dispatch/journal/journal.ts'
import { Suspension } from '../../src/dispatch/journal/suspension.ts'
import type { Answer } from '../../src/dispatch/outcome.ts'
import { runs } from './settings.ts'

const LIMITS = { rounds: 4, interruptions: 2 }
const KEYS = ['a', 'b', 'c'] as const

const time = fc.nat({ max: 20 })
const ANSWER = 'the result' as unknown as Answer
const asks = fc
  .subarray([...KEYS], { minLength: 1 })
  .map(
    (keys) => new Suspension(Object.fromEntries(keys.map((key) => [key, {}])), EMPTY_STATE, false),
  )

const event: fc.Arbitrary<RunEvent> = fc.oneof(
  fc.constant<RunEvent>({ type: 'persist' }),
  fc.record({ type: fc.constant('notify'), message: fc.string({ maxLength: 3 }) }),
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('ask'), suspension: asks, expiresAt: time }),
  },
  fc.constant<RunEvent>({ type: 'settle', answer: ANSWER }),
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('respond'),
      key: fc.constantFrom(...KEYS),
      response: fc.record({ kind: fc.constantFrom('fresh', 'refusal'), value: fc.constant(1) }),
      now: time,
    }),
  },
  fc.constant<RunEvent>({ type: 'cancel' }),
  fc.constant<RunEvent>({ type: 'terminate' }),
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('recover'),
      isRepeatable: fc.constantFrom(true, true, false),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('renew'),
      isAuthorized: fc.constantFrom(true, true, true, false),
    }),
  },
  fc.record({ type: fc.constant('expire'), now: time }),
)

/** An event, or the loss of the object's memory. */
const step = fc.oneof(
  { weight: 9, arbitrary: event },
  { weight: 1, arbitrary: fc.constant('kill') },
)
const steps = fc.array(step, { maxLength: 40, size: 'max' })

/** The state after the object is in memory again. A run without a row is forgotten. */
function recovered(row: StoredState | undefined): RunState | undefined {
  if (row === undefined) return undefined
  return row.name === 'running' ? { ...row, name: 'interrupted' } : row
}

interface Visit {
  readonly state: RunState
  readonly event: RunEvent
  readonly decision: RunDecision
  /** The row after the durable effects. */
  readonly row: StoredState | undefined
}

/** Runs a sequence, keeps the row as storage would, and shows every decision. */
function play(
  sequence: readonly (RunEvent | 'kill')[],
  visit: (visited: Visit) => void,
): RunState | undefined {
  let state: RunState | undefined = QUICK
  let row: StoredState | undefined
  for (const next of sequence) {
    if (next === 'kill') {
      state = recovered(row)
      if (state === undefined) return undefined
      continue
    }
    const decision = decideRun(state, next, LIMITS)
    for (const effect of decision.effects.durable) {
      if (effect.type === 'persist') {
        expect(row).toBeUndefined()
        row = { name: 'running', rounds: 0, interruptions: 0 }
      }
      if (effect.type === 'save') {
        expect(row).toBeDefined()
        row = effect.state
      }
      if (effect.type === 'record-response' && row?.name === 'waiting') {
        row = { ...row, openAsks: row.openAsks.filter((key) => key !== effect.key) }
      }
      if (effect.type === 'finish') row = undefined
    }
    if (next.type === 'terminate') row = undefined
    visit({ state, event: next, decision, row })
    state = decision.state
  }
  return state
}

const typesOf = (effects: readonly { readonly type: string }[]) => effects.map(({ type }) => type)

describe('decideRun', () => {
  it('keeps in storage exactly the state that it returns, after any sequence of events and kills', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        play(sequence, ({ decision: { state }, row }) => {
          expect(row !== undefined).toBe(hasRow(state))
          if (row === undefined) return
          // The row of an interrupted run says running until the run is recovered.
          expect(row).toEqual(state.name === 'interrupted' ? { ...state, name: 'running' } : state)
        })
      }),
      runs(500),
    )
  })

  it('answers a run at most once, and never a cancelled one', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        let answers = 0
        play(sequence, ({ state, decision }) => {
          const { durable, memory } = decision.effects
          const sent = [...typesOf(durable), ...typesOf(memory)].filter((type) =>
            ['answer', 'fail', 'reply'].includes(type),
          )
          answers += sent.length
          const isAnswered = decision.state.name === 'answered' && !isOver(state)
          expect(sent).toHaveLength(isAnswered ? 1 : 0)
        })
        expect(answers).toBeLessThanOrEqual(1)
      }),
      runs(500),
    )
  })

  it('changes nothing after the end, and has no effect for an event that does not apply to the state', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        play(sequence, ({ state, event: { type }, decision }) => {
          const effects = [...decision.effects.durable, ...decision.effects.memory]
          if (isOver(state)) expect([decision.state, effects]).toEqual([state, []])
          if (decision.state !== state || effects.length === 0) return
          // A notification, and another attempt to renew the caller, leave the state as it is.
          expect([`running ${type}`, `ready ${type}`]).toContain(`${state.name} ${type}`)
          expect(['notify', 'recover']).toContain(type)
        })
      }),
      runs(500),
    )
  })

  it('never exceeds its limits of rounds and interruptions, and never counts backwards', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        play(sequence, ({ state, decision: { state: next } }) => {
          if (!('rounds' in next)) return
          expect(next.rounds).toBeLessThanOrEqual(LIMITS.rounds)
          expect(next.interruptions).toBeLessThanOrEqual(LIMITS.interruptions)
          if (!('rounds' in state)) return
          expect(next.rounds).toBeGreaterThanOrEqual(state.rounds)
          expect(next.interruptions).toBeGreaterThanOrEqual(state.interruptions)
        })
      }),
      runs(300),
    )
  })

  it('records one response for each ask, while the ask is open and has not expired', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        play(sequence, ({ state, event: next, decision }) => {
          const recorded = decision.effects.durable.filter(({ type }) => type === 'record-response')
          const isOpen =
            next.type === 'respond' &&
            state.name === 'waiting' &&
            state.openAsks.includes(next.key) &&
            next.now < state.expiresAt
          expect(recorded).toHaveLength(isOpen ? 1 : 0)
          if (!isOpen || decision.state.name !== 'waiting') return
          expect(decision.state.openAsks).toEqual(state.openAsks.filter((key) => key !== next.key))
        })
      }),
      runs(500),
    )
  })

  it('resumes a handler only after its caller was renewed, and only where no handler is in memory', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        play(sequence, ({ state, event: next, decision }) => {
          const isResumed = typesOf(decision.effects.memory).includes('resume')
          const isRenewed = next.type === 'renew' && next.isAuthorized && state.name === 'ready'
          expect(isResumed).toBe(isRenewed)
          if (isResumed) expect(decision.state.name).toBe('running')
        })
      }),
      runs(300),
    )
  })

  it('sets an alarm whenever a run with a row needs one to go on, and finishes every run that had a row', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        play(sequence, ({ state, event: next, decision }) => {
          const durable = typesOf(decision.effects.durable)
          const entered = decision.state.name !== state.name
          if (entered && hasRow(decision.state)) expect(durable).toContain('schedule')
          const ends = hasRow(state) && isOver(decision.state) && next.type !== 'terminate'
          expect(durable.includes('finish')).toBe(ends)
          if (ends) expect(durable.at(-1)).toBe('finish')
        })
      }),
      runs(300),
    )
  })

  it('ends within its limits, however often the object is killed and the client stays away', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const end = play(sequence, () => undefined)
        if (end === undefined || isOver(end) || isLive(end)) return
        const alarm: (RunEvent | 'kill')[] = [
          { type: 'recover', isRepeatable: true },
          { type: 'expire', now: 20 },
          { type: 'renew', isAuthorized: true },
          'kill',
        ]
        let state: RunState | undefined = end
        for (const next of Array.from({ length: LIMITS.interruptions + 2 }, () => alarm).flat()) {
          if (next === 'kill')
            state = state.name === 'running' ? { ...state, name: 'interrupted' } : state
          else state = decideRun(state, next, LIMITS).state
        }
        expect(isOver(state)).toBe(true)
      }),
      runs(300),
    )
  })
})
