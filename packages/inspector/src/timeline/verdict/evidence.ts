/** What the steps of a connection show, as the checks compare it: of each kind of answer the last one that counts. */

import type { Facts } from '../../../../faults/src/checks/facts.ts'
import type { Details, StepKind, TimelineStep } from '../../objects/log/port.ts'

export interface Evidence extends Facts {
  /** With status 200. */
  readonly resource: Details | undefined
  readonly server: Details | undefined
  /** With any status. */
  readonly registration: TimelineStep | undefined
  /** The last one, where it was served. */
  readonly registered: TimelineStep | undefined
  readonly authorization: TimelineStep | undefined
  readonly token: TimelineStep | undefined
  readonly refresh: TimelineStep | undefined
  /** The last redirect that returned a code or an error to the client. */
  readonly redirect: TimelineStep | undefined
  /** The last answer of the endpoint to each JSON-RPC method, and to GET under `GET`. */
  readonly methods: ReadonlyMap<string, TimelineStep>
  readonly steps: readonly TimelineStep[]
  /** The steps at the endpoint. */
  readonly endpoints: readonly TimelineStep[]
}

export function evidenceOf(steps: readonly TimelineStep[]): Evidence {
  const last = (matches: (step: TimelineStep) => boolean) => steps.findLast(matches)
  // HEAD has no document.
  const served = (kind: StepKind) =>
    last((step) => step.kind === kind && step.status === 200 && step.http === 'GET')?.details
  const endpoints = steps.filter(({ kind }) => kind === 'endpoint')
  const tokens = steps.filter(({ kind }) => kind === 'token')
  const pasted = pastedUrl(endpoints.at(-1))
  const server = served('server-metadata')
  const registration = last(({ kind }) => kind === 'registration')
  const redirect = last(({ kind, details }) => PERSON.includes(kind) && isResponse(details))
  const token = tokens.findLast(({ details }) => details.grant !== 'refresh_token')
  return {
    pasted,
    isPattern: /[{}]|%7B/i.test(pasted ?? ''),
    challenge: last(isChallenge)?.details,
    resource: served('resource-metadata'),
    server,
    response: redirect && { iss: redirect.details.iss, issuer: server?.issuer },
    issued: token?.status === 200 ? token.details : undefined,
    registration,
    registered: registration && registration.status < 300 ? registration : undefined,
    authorization: last(({ kind }) => kind === 'authorization'),
    token,
    refresh: tokens.findLast(({ details }) => details.grant === 'refresh_token'),
    redirect,
    methods: new Map(endpoints.map((step) => [methodOf(step), step])),
    steps,
    endpoints,
  }
}

export function reasonOf({ events, details, status }: TimelineStep): string {
  const reason = events.findLast(({ type }) => type !== 'leniency')
  if (reason !== undefined) return `${reason.name}, ${reason.message}`
  return details.error === undefined ? `status ${status}` : String(details.error)
}

/** By position: times of a deployed clock can be equal. */
export function stepsAfter(
  step: TimelineStep,
  steps: readonly TimelineStep[],
): readonly TimelineStep[] {
  return steps.slice(steps.indexOf(step) + 1)
}

/** The steps that a person takes in a browser. */
export const PERSON: readonly StepKind[] = ['authorization', 'consent', 'sign-in']

/** A 401 to a request without a token. */
export function isChallenge({ kind, status, details }: TimelineStep): boolean {
  return kind === 'endpoint' && status === 401 && details.authorization === 'none'
}

export function methodOf({ http, details }: TimelineStep): string {
  return http === 'POST' ? String(details.method ?? 'POST') : http
}

function isResponse(details: TimelineStep['details']): boolean {
  return details.returnsCode === true || details.error !== undefined
}

/** Behind a proxy, the origin that the proxy names, with the path that arrived. */
function pastedUrl(step: TimelineStep | undefined): string | undefined {
  if (step === undefined) return undefined
  const { url, forwarded } = step.details
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined
  return typeof forwarded === 'string' ? `${forwarded}${new URL(url).pathname}` : url
}
