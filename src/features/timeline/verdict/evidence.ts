/** What the steps of a connection show: of each kind of answer the last one that counts. */
import type { StepKind, TimelineStep } from '../../../ports/timeline.ts'

export interface Evidence {
  /** The URL of the endpoint as the client sees it, as far as the server can know. */
  readonly pasted: string | undefined
  /** The last 401 to a request without a token. */
  readonly challenge: TimelineStep | undefined
  /** The last answer to each, with status 200. */
  readonly resource: TimelineStep | undefined
  readonly server: TimelineStep | undefined
  /** The last answer to each, with any status. */
  readonly registration: TimelineStep | undefined
  readonly authorization: TimelineStep | undefined
  /** The last redirect that returned a code or an error to the client. */
  readonly response: TimelineStep | undefined
  readonly token: TimelineStep | undefined
  readonly refresh: TimelineStep | undefined
  /** The last answer of the endpoint to each JSON-RPC method, and to GET under `GET`. */
  readonly methods: ReadonlyMap<string, TimelineStep>
  readonly steps: readonly TimelineStep[]
}

export function evidenceOf(steps: readonly TimelineStep[]): Evidence {
  const last = (matches: (step: TimelineStep) => boolean) => steps.findLast(matches)
  // HEAD has no document.
  const served = (kind: StepKind) =>
    last((step) => step.kind === kind && step.status === 200 && step.http === 'GET')
  const endpoints = steps.filter(({ kind }) => kind === 'endpoint')
  const tokens = steps.filter(({ kind }) => kind === 'token')
  return {
    pasted: pastedUrl(endpoints.at(-1)),
    challenge: last(isChallenge),
    resource: served('resource-metadata'),
    server: served('server-metadata'),
    registration: last(({ kind }) => kind === 'registration'),
    authorization: last(({ kind }) => kind === 'authorization'),
    response: last(({ kind, details }) => PERSON.includes(kind) && isResponse(details)),
    token: tokens.findLast(({ details }) => details.grant !== 'refresh_token'),
    refresh: tokens.findLast(({ details }) => details.grant === 'refresh_token'),
    methods: new Map(endpoints.map((step) => [methodOf(step), step])),
    steps,
  }
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
