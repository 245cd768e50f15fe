/** Checks of the requests at the endpoint, as the server answered them. */

import {
  type Answer,
  answer,
  failed,
  isUrl,
  on,
  passed,
  quoted,
} from '../../../../faults/src/checks/answer.ts'
import type { Details, TimelineStep } from '../../objects/log/port.ts'
import { type Evidence, methodOf, reasonOf, stepsAfter } from './evidence.ts'
import type { FaultCode } from './fault-code.ts'

type Check = (evidence: Evidence) => Answer | undefined

const HANDSHAKES: readonly string[] = ['initialize', 'server/discover']
const JSON_OR_STREAM: readonly unknown[] = ['application/json', 'text/event-stream']

/** The last step at the endpoint that was refused by one of these names. */
const refusedBy =
  (...names: readonly string[]): Check =>
  ({ steps }) => {
    const refused = steps.findLast(({ events }) => events.some(({ name }) => names.includes(name)))
    if (refused === undefined) return passed('No request was refused for it')
    const isServedLater = stepsAfter(refused, steps).some(
      (step) => step.kind === refused.kind && isServed(step),
    )
    const text = `${described(refused)}: ${reasonOf(refused)}`
    return answer(isServedLater, text)
  }

/** The last answer to each of these methods. */
const answered =
  (methods: readonly string[], isRight: (step: TimelineStep) => boolean): Check =>
  ({ methods: last }) => {
    const steps = methods.flatMap((method) => last.get(method) ?? []).filter(isOfMethod)
    if (steps.length === 0) return undefined
    const wrong = steps.find((step) => !isRight(step))
    return wrong === undefined
      ? passed(steps.map(described).join('; '))
      : failed(`${described(wrong)}: ${reasonOf(wrong)}`)
  }

/** Right after `initialize`. */
const AT_ONCE_MS = 60_000

const isServed = ({ status }: TimelineStep) => status < 400

/** Refused tokens and scopes, and failures of the server, have faults of their own. */
const isOfMethod = ({ status }: TimelineStep) => status !== 401 && status !== 403 && status < 500

/** What the body says is not read: a served request is what this server can show. */
const served =
  (method: string): Check =>
  ({ methods: last }) => {
    const step = last.get(method)
    return step !== undefined && isServed(step) ? passed(described(step)) : undefined
  }

const described = (step: TimelineStep) =>
  `${methodOf(step)} was answered with ${step.status}${step.details.type === undefined ? '' : ` ${step.details.type}`}`

export const ENDPOINT_CHECKS = {
  'redirect-drops-request': redirected,
  'endpoint-redirects': redirected,
  'rate-limited': refusedBy('rate-limited'),
  'origin-refused': refusedBy('origin-not-allowed'),
  'accept-refused': refusedBy('not-acceptable'),
  'endpoint-not-found': ({ steps, endpoints }) => {
    const other = steps.findLast(({ kind }) => kind === 'other-path')
    if (other === undefined) return passed('Every request was sent to a path of the endpoint')
    return answer(
      endpoints.length > 0,
      `POST ${other.details.url} was answered with ${other.status}`,
    )
  },
  'server-error': ({ endpoints }) => {
    const broken = endpoints.findLast(({ status }) => status >= 500)
    if (broken === undefined) return passed('No request was answered with a server error')
    const isServedLater = stepsAfter(broken, endpoints).some(isServed)
    return answer(isServedLater, `${described(broken)}: ${reasonOf(broken)}`)
  },
  'unauthenticated-not-401': ({ endpoints, token }) => {
    const first = endpoints.find(({ details }) => details.authorization === 'none')
    if (first === undefined) return undefined
    const isRight = isServed(first) || first.status !== 403 || token !== undefined
    const isOther = first.events.some(({ name }) => name !== 'token-missing')
    return answer(isRight || isOther, `The first request was answered with ${first.status}`)
  },
  'discover-fails': answered(['server/discover'], ({ status }) => [200, 400, 404].includes(status)),
  'preflight-refused': ({ steps }) => {
    const last = steps.findLast(({ kind }) => kind === 'preflight')
    return last && answer(isServed(last), `The preflight was answered with ${last.status}`)
  },
  'cors-headers-hidden': ({ endpoints }) => {
    const last = endpoints.findLast(({ details }) => details.origin !== undefined)
    if (last === undefined) return passed('No request came from a browser')
    return corsAnswer('answer', last.details)
  },
  'error-not-json': ({ endpoints }) => {
    const error = endpoints.findLast(({ status }) => status >= 400)
    return error && answer(error.details.type === 'application/json', described(error))
  },
  'initialize-refused': answered(['initialize'], isServed),
  'initialize-result-invalid': served('initialize'),
  'initialize-version-unknown': served('initialize'),
  'discover-result-invalid': served('server/discover'),
  'response-content-type': answered(
    [...HANDSHAKES, 'tools/list', 'tools/call'],
    ({ status, details }) => status >= 400 || JSON_OR_STREAM.includes(details.type),
  ),
  'notification-refused': answered(['notifications/initialized'], isServed),
  'notification-not-202': answered(
    ['notifications/initialized'],
    ({ status, details }) => status === 202 && details.type === undefined,
  ),
  'session-not-found-at-once': (evidence) => {
    const opened = evidence.methods.get('initialize')
    // Later, a session may have expired.
    const isSoon = ({ at }: TimelineStep) => opened !== undefined && at - opened.at < AT_ONCE_MS
    return refusedBy('session-not-found')({ ...evidence, steps: evidence.steps.filter(isSoon) })
  },
  'session-required': refusedBy('session-id-missing'),
  'version-header-required': refusedBy('header-mismatch', 'protocol-version-unsupported'),
  'stream-refused': answered(['GET'], ({ status }) => status === 200 || status === 405),
  'second-stream-refused': refusedBy('too-many-streams'),
  'well-known-not-json': ({ steps, challenge }) => {
    if (challenge !== undefined) return undefined
    const asked = steps.findLast(({ kind, http }) => kind.endsWith('-metadata') && http === 'GET')
    return (
      asked &&
      answer(
        asked.details.isDocument === true,
        `${asked.details.url} was answered with ${asked.status} ${quoted(asked.details.type)}`,
      )
    )
  },
  // The timeline does not see which metadata was never requested; other checks name what is missing.
  'authorization-not-offered': ({ challenge }) =>
    isUrl(challenge?.metadataUrl)
      ? passed(`The 401 named ${quoted(challenge?.metadataUrl)}`)
      : undefined,
  'resource-metadata-missing': (evidence) =>
    evidence.server === undefined ? metadataServed(evidence, 'resource-metadata') : undefined,
  'resource-metadata-skipped': (evidence) =>
    evidence.server === undefined ? undefined : metadataServed(evidence, 'resource-metadata'),
  'server-metadata-missing': (evidence) => metadataServed(evidence, 'server-metadata'),
  'resource-metadata-invalid': on('resource', ({ isDocument, resource, type }) =>
    answer(
      isDocument === true && isUrl(resource),
      `The metadata was served as ${quoted(type)} with the resource ${quoted(resource)}`,
    ),
  ),
  'server-metadata-invalid': on('server', ({ isDocument, issuer, tokenEndpoint, ...metadata }) =>
    answer(
      isDocument === true && [issuer, tokenEndpoint, metadata.authorizationEndpoint].every(isUrl),
      `The metadata had the issuer ${quoted(issuer)} and the token_endpoint ${quoted(tokenEndpoint)}`,
    ),
  ),
  'metadata-without-cors': on('resource', (details) => corsAnswer('metadata', details)),
  'list-failed': answered(
    ['tools/list', 'resources/list', 'prompts/list', 'resources/templates/list'],
    isServed,
  ),
  'call-failed': answered(['tools/call'], isServed),
  'events-subscribe-failed': ({ methods }) => {
    const step = methods.get('events/subscribe')
    if (step === undefined) return undefined
    const { eventType, subscriptionRefused } = step.details
    if (subscriptionRefused === undefined) {
      return isServed(step) ? passed(described(step)) : undefined
    }
    return failed(`events/subscribe to ${quoted(eventType)} was refused: ${reasonOf(step)}`)
  },
} satisfies Readonly<Partial<Record<FaultCode, Check>>>

/** Undefined when the document was never asked for. */
function metadataServed(
  { steps }: Evidence,
  kind: 'resource-metadata' | 'server-metadata',
): Answer | undefined {
  const asked = steps.filter((step) => step.kind === kind)
  if (asked.length === 0) return undefined
  const served = asked.find(({ status }) => status === 200)
  const text = (step: TimelineStep) =>
    `${step.http} ${step.details.url} was answered with ${step.status}`
  return served === undefined ? failed(asked.map(text).join('; ')) : passed(text(served))
}

const corsAnswer = (what: string, { cors }: Details) =>
  answer(cors === true, `The ${what} had ${cors ? 'an' : 'no'} Access-Control-Allow-Origin`)

function redirected({ endpoints }: Evidence): Answer {
  const moved = endpoints.findLast(({ status }) => status >= 300 && status < 400)
  if (moved === undefined) return passed('This server has redirected no request at the endpoint')
  return failed(`${described(moved)} to ${quoted(moved.details.location)}`)
}
