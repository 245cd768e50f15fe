/**
 * A sequential model of a grant: the answer of each call and the state after it. Concurrent calls are
 * linearizable when some order of them in this model gives their answers.
 */

const SECOND_MS = 1_000
const DAY_MS = 86_400_000

export interface State {
  readonly phase: 'pending' | 'live' | 'ended'
  readonly dueAt: number
  readonly expiresAt: number
  readonly generation: number
  readonly rotatedAt: number
  readonly refreshUntil: number
}

export type Fault = 'none' | 'client' | 'resource' | 'verifier' | 'scopes'

export type Call =
  | { readonly kind: 'redeem'; readonly fault: Fault }
  /** With the secret of this generation. */
  | { readonly kind: 'refresh'; readonly fault: Fault; readonly generation: number }
  | { readonly kind: 'check' }
  | { readonly kind: 'revoke' }

/** `secret 3` is an issued grant with the refresh secret of generation 3. */
export type Answer = string

export function approvedAt(now: number): State {
  return {
    phase: 'pending',
    dueAt: now + 60 * SECOND_MS,
    expiresAt: now + 365 * DAY_MS,
    generation: 0,
    rotatedAt: 0,
    refreshUntil: 0,
  }
}

export function apply(state: State, call: Call, now: number): readonly [Answer, State] {
  const ended: State = { ...state, phase: 'ended' }
  const hasEnded = state.phase === 'ended' || now >= state.dueAt
  switch (call.kind) {
    case 'check':
      return [state.phase === 'live' && !hasEnded ? 'active' : 'inactive', state]
    case 'revoke':
      return hasEnded ? ['nothing', state] : ['revoked', ended]
    case 'redeem': {
      if (hasEnded) return ['invalid_grant', state]
      if (call.fault === 'resource') return ['invalid_target', state]
      if (call.fault === 'client' || call.fault === 'verifier') return ['invalid_grant', state]
      if (state.phase === 'live') return ['invalid_grant', ended]
      return ['secret 0', renewed(state, 0, now)]
    }
    case 'refresh': {
      if (hasEnded || state.phase !== 'live' || now >= state.refreshUntil) {
        return ['invalid_grant', state]
      }
      if (call.fault === 'client') return ['invalid_grant', state]
      if (call.fault === 'resource') return ['invalid_target', state]
      if (call.fault === 'scopes') return ['invalid_scope', state]
      const next = call.generation + 1
      if (call.generation === state.generation) {
        return [`secret ${next}`, renewed(state, next, now)]
      }
      const isLate = now >= state.rotatedAt + 30 * SECOND_MS
      if (next < state.generation || isLate) return ['invalid_grant', ended]
      const dueAt = Math.min(state.expiresAt, Math.max(state.refreshUntil, now + DAY_MS))
      return [`secret ${next}`, { ...state, dueAt }]
    }
  }
}

function renewed(state: State, generation: number, now: number): State {
  const refreshUntil = Math.min(state.expiresAt, now + 60 * DAY_MS)
  const dueAt = refreshUntil
  return { ...state, phase: 'live', generation, rotatedAt: now, refreshUntil, dueAt }
}

/** The states after every order of the calls in which the model gives the observed answers. */
export function explain(
  states: readonly State[],
  calls: readonly Call[],
  answers: readonly Answer[],
  now: number,
): State[] {
  const found = new Map<string, State>()
  const visit = (state: State, left: readonly number[]): void => {
    if (left.length === 0) {
      found.set(JSON.stringify(state), state)
      return
    }
    for (const index of left) {
      const call = calls[index]
      if (call === undefined) continue
      const [answer, next] = apply(state, call, now)
      if (answer === answers[index]) {
        visit(
          next,
          left.filter((other) => other !== index),
        )
      }
    }
  }
  for (const state of states) visit(state, [...calls.keys()])
  return [...found.values()]
}
