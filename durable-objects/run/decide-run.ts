/**
 * Decides what an event does to a run: a pure function of its state, the event and the time. It knows
 * no streams and no tables; each owner of runs maps the states to its own rows and applies the effects.
 */
import type {
  DurableEffect,
  MemoryEffect,
  RunCounts,
  RunDecision,
  RunEvent,
  RunFailure,
  RunLimits,
  RunState,
} from './run-state.ts'

type StateOf<Name extends RunState['name']> = Extract<RunState, { readonly name: Name }>

/** The limits of every run: a handler that asks in a loop, or that kills its object, must end. */
const RUN_LIMITS: RunLimits = { rounds: 100, interruptions: 3 }

export const QUICK: RunState = { name: 'quick' }

const NEW: StateOf<'running'> = { name: 'running', rounds: 0, interruptions: 0 }

/** An event that does not apply to a state changes nothing: the returned state is the given one. */
export function decideRun(
  state: RunState,
  event: RunEvent,
  limits: RunLimits = RUN_LIMITS,
): RunDecision {
  if (event.type === 'terminate') return decideTermination(state)
  if (event.type === 'cancel') return decideCancellation(state)
  if (event.type === 'renew' && !event.isAuthorized) return decideRevocation(state)
  switch (state.name) {
    case 'quick':
      return decideQuick(state, event, limits)
    case 'running':
      return decideRunning(state, event, limits)
    case 'waiting':
      return decideWaiting(state, event)
    case 'interrupted':
      return decideInterrupted(state, event, limits)
    case 'ready':
      return decideReady(state, event)
    case 'answered':
    case 'cancelled':
      return decision(state)
  }
}

/** Whether the handler of this run is in memory, or the renewal of its caller. */
export function isLive({ name }: RunState): boolean {
  return name === 'quick' || name === 'running' || name === 'ready'
}

export function isOver({ name }: RunState): boolean {
  return name === 'answered' || name === 'cancelled'
}

export function hasRow(state: RunState): boolean {
  return state.name !== 'quick' && !isOver(state)
}

function decideQuick(state: RunState, event: RunEvent, limits: RunLimits): RunDecision {
  switch (event.type) {
    case 'settle':
      return decision({ name: 'answered' }, [], [{ type: 'reply', answer: event.answer }])
    case 'persist':
      return decision(NEW, [{ type: 'persist' }, SCHEDULE_SOON])
    case 'notify':
    case 'ask': {
      const { state: next, effects } = decideRunning(NEW, event, limits)
      return decision(next, [{ type: 'persist' }, SCHEDULE_SOON, ...effects.durable])
    }
    default:
      return decision(state)
  }
}

function decideRunning(state: StateOf<'running'>, event: RunEvent, limits: RunLimits): RunDecision {
  const { rounds, interruptions } = state
  switch (event.type) {
    case 'notify':
      return decision(state, [event])
    case 'ask': {
      if (rounds >= limits.rounds) return failed('too-many-rounds')
      const { suspension, expiresAt } = event
      const openAsks = [...Object.keys(suspension.requests), ...Object.keys(suspension.waits)]
      const next = {
        name: 'waiting',
        rounds: rounds + 1,
        interruptions,
        openAsks,
        expiresAt,
      } as const
      return decision(next, [
        { type: 'save', state: next },
        { type: 'send-asks', suspension, expiresAt },
        { type: 'schedule', by: expiresAt },
      ])
    }
    case 'advance': {
      if (interruptions === 0) return decision(state)
      const next = { name: 'running', rounds, interruptions: 0 } as const
      return decision(next, [{ type: 'save', state: next }])
    }
    case 'settle':
      return decision({ name: 'answered' }, [{ type: 'answer', answer: event.answer }, FINISH])
    default:
      return decision(state)
  }
}

function decideWaiting(state: StateOf<'waiting'>, event: RunEvent): RunDecision {
  switch (event.type) {
    case 'respond': {
      const { key, response, now, resumes = false } = event
      // An ask takes one response: a second one, or a late one, finds it closed.
      if (!state.openAsks.includes(key) || now >= state.expiresAt) return decision(state)
      const record = { type: 'record-response', key, response } as const
      const openAsks = state.openAsks.filter((open) => open !== key)
      if (openAsks.length > 0 && !resumes) return decision({ ...state, openAsks }, [record])
      return ready(state, [record], false)
    }
    case 'expire':
      return event.now < state.expiresAt
        ? decision(state)
        : failed('asks-expired', [WITHDRAW_ENDED])
    default:
      return decision(state)
  }
}

function decideInterrupted(
  state: StateOf<'interrupted'>,
  event: RunEvent,
  limits: RunLimits,
): RunDecision {
  switch (event.type) {
    case 'recover': {
      if (!event.isRepeatable) return failed('interrupted')
      if (state.interruptions >= limits.interruptions) return failed('interrupted-too-often')
      return ready({ ...state, interruptions: state.interruptions + 1 }, [], true)
    }
    default:
      return decision(state)
  }
}

/** No handler has started since the run became ready, so it may start however often it is recovered. */
function decideReady(state: StateOf<'ready'>, event: RunEvent): RunDecision {
  const { rounds, interruptions, wasInterrupted } = state
  switch (event.type) {
    case 'recover':
      return decision(state, [SCHEDULE_SOON], [RENEW_CALLER])
    case 'renew': {
      const running = { name: 'running', rounds, interruptions } as const
      return decision(
        running,
        [{ type: 'save', state: running }, SCHEDULE_SOON],
        [{ type: 'resume', wasInterrupted }],
      )
    }
    default:
      return decision(state)
  }
}

/** The handler of a run that is ready has not started, so it is not aborted. */
function decideCancellation(state: RunState): RunDecision {
  if (isOver(state)) return decision(state)
  const { name } = state
  const withdrawn = { type: 'withdraw-asks', reason: 'cancelled' } as const
  const abort = { type: 'abort', reason: 'cancelled-by-client' } as const
  return decision(
    { name: 'cancelled' },
    [...(name === 'waiting' ? [withdrawn] : []), ...(hasRow(state) ? [FINISH] : [])],
    name === 'quick' || name === 'running' ? [abort] : [],
  )
}

/** The caller was checked because its stream has lost its access, or because its run is ready. */
function decideRevocation(state: RunState): RunDecision {
  if (!hasRow(state)) return decision(state)
  const abort = { type: 'abort', reason: 'access-revoked' } as const
  return failed(
    'access-revoked',
    state.name === 'waiting' ? [WITHDRAW_ENDED] : [],
    state.name === 'running' ? [abort] : [],
  )
}

/** The session deletes all its rows, so only a handler in memory is left to end. */
function decideTermination(state: RunState): RunDecision {
  if (isOver(state)) return decision(state)
  const abort = { type: 'abort', reason: 'session-ended' } as const
  return decision({ name: 'cancelled' }, [], isLive(state) ? [abort] : [])
}

const SCHEDULE_SOON: DurableEffect = { type: 'schedule', by: undefined }
const WITHDRAW_ENDED: DurableEffect = { type: 'withdraw-asks', reason: 'ended' }
const FINISH: DurableEffect = { type: 'finish' }
const RENEW_CALLER: MemoryEffect = { type: 'renew-caller' }

function ready(
  { rounds, interruptions }: RunCounts,
  before: readonly DurableEffect[],
  wasInterrupted: boolean,
): RunDecision {
  const state = { name: 'ready', rounds, interruptions, wasInterrupted } as const
  const durable = [...before, { type: 'save', state } as const, SCHEDULE_SOON]
  return decision(state, durable, [RENEW_CALLER])
}

function failed(
  failure: RunFailure,
  before: readonly DurableEffect[] = [],
  memory: readonly MemoryEffect[] = [],
): RunDecision {
  return decision({ name: 'answered' }, [...before, { type: 'fail', failure }, FINISH], memory)
}

function decision(
  state: RunState,
  durable: readonly DurableEffect[] = [],
  memory: readonly MemoryEffect[] = [],
): RunDecision {
  return { state, effects: { durable, memory } }
}
