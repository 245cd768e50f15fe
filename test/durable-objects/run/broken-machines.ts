/** State machines with one defect each, to prove that the exploration finds it. */
import { decideRun, QUICK } from '../../../durable-objects/run/decide-run.ts'
import type {
  DurableEffect,
  MemoryEffect,
  RunDecision,
  RunEvent,
  RunState,
} from '../../../durable-objects/run/run-state.ts'
import type { Applier, Machine } from './world.ts'

export interface BrokenMachine {
  readonly defect: string
  readonly violates: string
  readonly applier: Applier
}

type Change = (decision: RunDecision, state: RunState, event: RunEvent) => RunDecision

function change(decide: Change): Machine {
  return (state, event, limits) => decide(decideRun(state, event, limits), state, event)
}

/** The same decisions, without one kind of effect in one kind of event. */
function without(
  type: DurableEffect['type'] | MemoryEffect['type'],
  on?: RunEvent['type'],
): Machine {
  return change(({ state, effects }, _, event) => {
    if (on !== undefined && event.type !== on) return { state, effects }
    const durable = effects.durable.filter((effect) => effect.type !== type)
    const memory = effects.memory.filter((effect) => effect.type !== type)
    return { state, effects: { durable, memory } }
  })
}

/** A machine to which some events mean nothing. */
function deafTo(name: RunState['name'], type: RunEvent['type']): Machine {
  return change((decision, state, event) =>
    state.name === name && event.type === type
      ? { state, effects: { durable: [], memory: [] } }
      : decision,
  )
}

/** A machine that decides about another state than the run is in. */
function mistaking(mistake: (state: RunState, event: RunEvent) => RunState): Machine {
  return (state, event, limits) => decideRun(mistake(state, event), event, limits)
}

const defects: readonly (readonly [defect: string, violates: string, machine: Machine])[] = [
  [
    'an answered run accepts what its handler sends later',
    'two answers',
    mistaking((state) => (state.name === 'answered' ? QUICK : state)),
  ],
  [
    'a cancelled run accepts what its handler sends later',
    'an answer follows a cancellation',
    mistaking((state) => (state.name === 'cancelled' ? QUICK : state)),
  ],
  ['an answered run keeps its row', 'two answers', without('finish', 'settle')],
  ['a failed run keeps its row', 'a run that is over keeps its row', without('finish', 'expire')],
  [
    'a cancelled handler goes on, and its run with it',
    'an answer follows a cancellation',
    deafTo('running', 'cancel'),
  ],
  [
    'a waiting run ignores its cancellation',
    'an answer follows a cancellation',
    deafTo('waiting', 'cancel'),
  ],
  [
    'a run that must not be repeated is resumed',
    'a step runs twice',
    change((decision, state, event) =>
      event.type === 'recover' ? decideRun(state, { ...event, isRepeatable: true }) : decision,
    ),
  ],
  [
    'one response resumes a run twice',
    'two handlers of one run',
    change(({ state, effects }) => ({
      state,
      effects: { ...effects, memory: [...effects.memory, ...effects.memory] },
    })),
  ],
  ['a response is not recorded', 'an acknowledged response is lost', without('record-response')],
  [
    'a response to any key is accepted',
    'a closed ask accepts a response',
    mistaking((state, event) =>
      state.name === 'waiting' && event.type === 'respond'
        ? { ...state, openAsks: [...state.openAsks, event.key] }
        : state,
    ),
  ],
  [
    'a response is accepted after the deadline',
    'an open ask rejects its response',
    mistaking((state) => (state.name === 'waiting' ? { ...state, expiresAt: Infinity } : state)),
  ],
  [
    'a waiting run rejects its responses',
    'an open ask rejects its response',
    deafTo('waiting', 'respond'),
  ],
  [
    'asks stay open after a cancellation',
    'an ask is forgotten',
    without('withdraw-asks', 'cancel'),
  ],
  [
    'asks stay open after their deadline',
    'an ask is forgotten',
    without('withdraw-asks', 'expire'),
  ],
  [
    'a suspended run still counts as running',
    'a handler runs while its run waits',
    change((decision, state) =>
      decision.state.name === 'waiting' && state.name === 'running'
        ? { ...decision, state }
        : decision,
    ),
  ],
  ['a new row sets no alarm', 'a run does not end', without('schedule', 'persist')],
  [
    'an interruption is not counted',
    'a run does not end',
    mistaking((state) => (state.name === 'interrupted' ? { ...state, interruptions: 0 } : state)),
  ],
  ['a deadline is ignored', 'a run does not end', deafTo('waiting', 'expire')],
  [
    'a handler resumes before the access of its caller was checked',
    'a handler resumes without its caller',
    change((decision) => ({
      ...decision,
      effects: {
        ...decision.effects,
        memory: decision.effects.memory.map((effect) =>
          effect.type === 'renew-caller' ? { type: 'resume', wasInterrupted: false } : effect,
        ),
      },
    })),
  ],
  [
    'a run continues for a caller whose access has ended',
    'a run survives the access of its caller',
    change((decision, state, event) =>
      event.type === 'renew' ? decideRun(state, { ...event, isAuthorized: true }) : decision,
    ),
  ],
  ['a ready run is not renewed again', 'a run does not end', deafTo('ready', 'recover')],
  [
    'a ready run ignores its cancellation',
    'an answer follows a cancellation',
    deafTo('ready', 'cancel'),
  ],
  ['an interrupted run is ignored', 'a run does not end', deafTo('interrupted', 'recover')],
  ['a run fails without an answer', 'a run ends without its answer', without('fail')],
  [
    'a handler is not aborted with its session',
    'a handler outlives its session',
    deafTo('running', 'terminate'),
  ],
  [
    'a deadline is not a number of JSON',
    'a state is not JSON',
    change((decision) => ({
      ...decision,
      effects: {
        ...decision.effects,
        durable: decision.effects.durable.map((effect) =>
          effect.type === 'save' && effect.state.name === 'waiting'
            ? { ...effect, state: { ...effect.state, expiresAt: Infinity } }
            : effect,
        ),
      },
    })),
  ],
]

export const BROKEN_MACHINES: readonly BrokenMachine[] = [
  ...defects.map(([defect, violates, machine]) => ({
    defect,
    violates,
    applier: { machine, isAtomic: true },
  })),
  {
    defect: 'the effects of one decision commit one by one',
    violates: 'two answers',
    applier: { machine: decideRun, isAtomic: false },
  },
]
