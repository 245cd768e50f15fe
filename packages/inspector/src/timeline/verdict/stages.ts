/** How far a connection has come: a state machine over its steps. */

import { codesOf } from '../../../../faults/src/checks/checks.ts'
import { CHALLENGE_CHECKS, RESOURCE_CHECKS } from '../../../../faults/src/checks/resource.ts'
import { SERVER_CHECKS } from '../../../../faults/src/checks/server.ts'
import { RESPONSE_CHECKS } from '../../../../faults/src/checks/sign-in.ts'
import type { StepKind, TimelineStep } from '../../objects/log/port.ts'
import { isChallenge, methodOf, stepsAfter } from './evidence.ts'
import type { FaultCode } from './fault-code.ts'

/** In the order in which a client reaches them. It may skip some: it caches metadata, tokens and its registration. */
export const STAGES = [
  'started',
  'challenged',
  'resource-known',
  'server-known',
  'registered',
  'asked',
  'approved',
  'authorized',
  'connected',
  'listed',
  'called',
] as const

export type Stage = (typeof STAGES)[number]

interface Expectation {
  /** What the client, or the person, has reached. */
  readonly reached: string
  /** The step that comes next. */
  readonly next: string
  /** What the next step asks for. */
  readonly kinds?: readonly StepKind[]
  /** Why it does not come, in the order in which a client notices. */
  readonly causes: readonly FaultCode[]
  /** The step is that of a person, who takes time. */
  readonly isOfPerson?: boolean
}

/** The stages with a next step that every client takes. A client that has listed has no further obligation. */
export const EXPECTED: Readonly<Partial<Record<Stage, Expectation>>> = {
  started: {
    reached: 'sent its first request',
    next: 'a request that this server answers with 401 or with a result',
    causes: [
      'endpoint-not-found',
      'endpoint-redirects',
      'redirect-drops-request',
      'not-https',
      'origin-refused',
      'preflight-refused',
      'accept-refused',
      'discover-fails',
      'initialize-refused',
      'rate-limited',
      'server-error',
      'unauthenticated-not-401',
      'legacy-sse-only',
    ],
  },
  challenged: {
    reached: 'was challenged to sign in (401)',
    next: 'a request for the protected resource metadata',
    kinds: ['resource-metadata'],
    causes: [
      ...codesOf(CHALLENGE_CHECKS),
      'error-not-json',
      'metadata-names-internal-host',
      'cors-headers-hidden',
      'bot-challenge',
      'resource-metadata-missing',
      'resource-metadata-skipped',
    ],
  },
  'resource-known': {
    reached: 'read the protected resource metadata',
    next: 'a request for the metadata of the authorization server',
    kinds: ['server-metadata'],
    causes: [
      'resource-metadata-invalid',
      ...codesOf(RESOURCE_CHECKS),
      'metadata-names-internal-host',
      'metadata-names-unreachable-host',
      'metadata-without-cors',
      'server-metadata-missing',
    ],
  },
  'server-known': {
    reached: 'read the metadata of the authorization server',
    next: 'a registration or an authorization request',
    kinds: ['registration', 'authorization'],
    causes: [
      'server-metadata-invalid',
      ...codesOf(SERVER_CHECKS),
      'resource-mismatch',
      'metadata-without-cors',
    ],
  },
  registered: {
    reached: 'registered',
    next: 'an authorization request',
    kinds: ['authorization'],
    causes: [
      'registration-response-invalid',
      'registration-redirects-changed',
      'registration-status',
      'registration-not-concurrent',
      'metadata-names-unreachable-host',
    ],
  },
  asked: {
    reached: 'opened the page on which the person approves',
    next: 'the decision of the person',
    kinds: ['consent', 'sign-in'],
    isOfPerson: true,
    causes: ['authorization-refused', 'client-document-refused'],
  },
  approved: {
    reached: 'was approved by the person, and redirected with a code',
    next: 'a token request',
    kinds: ['token'],
    causes: [
      ...codesOf(RESPONSE_CHECKS),
      'state-changed',
      'redirect-uri-changed',
      'consent-page-csp',
      'metadata-names-unreachable-host',
    ],
  },
  authorized: {
    reached: 'got a token',
    next: 'a request with the token',
    kinds: ['endpoint'],
    causes: [
      'token-response-invalid',
      'token-expiry-invalid',
      'token-without-expiry',
      'resource-mismatch',
      'resource-not-exact',
      'resource-trailing-slash',
      'url-trailing-slash',
      'issuer-mismatch',
      'issuer-trailing-slash',
      'token-audience-mismatch',
      'token-refused',
      'scope-insufficient',
      'redirect-drops-request',
      'endpoint-redirects',
      'not-https',
      'challenge-missing',
      'stream-refused',
    ],
  },
  connected: {
    reached: 'connected',
    next: 'a request for a list',
    causes: [
      'initialize-result-invalid',
      'initialize-version-unknown',
      'discover-result-invalid',
      'response-content-type',
      'response-not-json',
      'response-missing',
      'response-id-changed',
      'notification-refused',
      'notification-not-202',
      'session-id-invalid',
      'session-not-found-at-once',
      'session-required',
      'version-header-required',
      'stream-refused',
      'tools-not-declared',
      'unsolicited-request',
    ],
  },
}

/** How long a client takes for its next step at most, in milliseconds. */
export const CLIENT_STEP_MS = 20_000
/** How long a person takes. */
export const PERSON_STEP_MS = 10 * 60_000

/** A client that has a token uses it at once: a request without it in this time has lost it. */
const TOKEN_LOST_MS = 60_000

export interface Progress {
  readonly stage: Stage
  /** The step that reached it; undefined at the beginning. */
  readonly step: TimelineStep | undefined
}

/** @param steps in the order of their times, at least one */
export function progressOf(steps: readonly TimelineStep[]): Progress {
  return steps.reduce(advance, { stage: 'started', step: undefined })
}

function advance(progress: Progress, step: TimelineStep): Progress {
  const reached = reachedBy(step)
  if (reached === undefined) return progress
  if (reached === 'challenged') return challenged(progress, step)
  if (STAGES.indexOf(reached) <= STAGES.indexOf(progress.stage)) return progress
  return { stage: reached, step }
}

/** A client that is challenged again begins anew, unless it is on its way or has lost its token. */
function challenged(progress: Progress, step: TimelineStep): Progress {
  const { stage } = progress
  if (stage === 'started') return { stage: 'challenged', step }
  const isOnItsWay = STAGES.indexOf(stage) < STAGES.indexOf('authorized')
  if (isOnItsWay || losesToken(progress, step)) return progress
  return { stage: 'challenged', step }
}

/** Whether a challenge comes right after a token: the token was lost on the way. */
export function losesToken({ stage, step: before }: Progress, step: TimelineStep): boolean {
  return stage === 'authorized' && before !== undefined && step.at - before.at < TOKEN_LOST_MS
}

/** Whether the next step was sent, and not served. */
export function isNextRefused(steps: readonly TimelineStep[], { stage, step }: Progress): boolean {
  const { kinds = [] } = EXPECTED[stage] ?? {}
  const later = step === undefined ? steps : stepsAfter(step, steps)
  return later.some(
    ({ kind, status, details }) =>
      kinds.includes(kind) && (status >= 400 || details.error !== undefined),
  )
}

/** The stage that a step reaches; undefined for one that brings a client no further. */
export function reachedBy(step: TimelineStep): Stage | undefined {
  const { kind, status, details } = step
  const isServed = status < 400
  switch (kind) {
    case 'endpoint':
      if (isChallenge(step)) return 'challenged'
      return isServed ? stageOfMethod(methodOf(step)) : undefined
    case 'resource-metadata':
      return status === 200 ? 'resource-known' : undefined
    case 'server-metadata':
      return status === 200 ? 'server-known' : undefined
    case 'registration':
      return isServed ? 'registered' : undefined
    case 'authorization':
    case 'consent':
    case 'sign-in':
      if (details.returnsCode === true) return 'approved'
      return status === 200 ? 'asked' : undefined
    case 'token':
      return isServed && details.error === undefined ? 'authorized' : undefined
    default:
      return undefined
  }
}

const CALLS: readonly string[] = ['tools/call', 'resources/read', 'prompts/get']

function stageOfMethod(method: string): Stage | undefined {
  if (method === 'OPTIONS' || method === 'HEAD' || method === 'DELETE') return undefined
  if (CALLS.includes(method)) return 'called'
  return method.endsWith('/list') ? 'listed' : 'connected'
}
