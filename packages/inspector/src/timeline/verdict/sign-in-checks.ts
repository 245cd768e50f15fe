/** Checks of a sign-in that need several of its steps. */

import {
  type Answer,
  answer,
  failed,
  isUrl,
  on,
  passed,
  quoted,
} from '../../../../faults/src/checks/answer.ts'
import { allowsForm } from '../../../../faults/src/checks/documents.ts'
import type { TimelineStep } from '../../objects/log/port.ts'
import { type Evidence, reasonOf, stepsAfter } from './evidence.ts'

type Check = (evidence: Evidence) => Answer | undefined

export const SIGN_IN_CHECKS = {
  'registration-refused': on('registration', statusOf),
  'registration-status': on('registered', ({ status }) =>
    answer(status === 201, `The status was ${status}`),
  ),
  'registration-response-invalid': on('registered', ({ details: { hasClientId, redirects } }) => {
    const text = `The response had ${hasClientId ? 'a' : 'no'} client_id and the redirect_uris ${quoted(redirects)}`
    return answer(hasClientId === true && redirects !== undefined, text)
  }),
  // The request is not read, so that what it has changed cannot be seen.
  'registration-redirects-changed': ({ registration, authorization }) => {
    const { redirects } = registration?.details ?? {}
    const redirect = authorization?.details.redirect
    if (typeof redirects !== 'string' || typeof redirect !== 'string') return undefined
    const text = `Registered were ${quoted(redirects)}, and the client asks for ${quoted(redirect)}`
    return answer(redirects.split(' ').includes(redirect), text)
  },
  'registration-not-concurrent': ({ steps }) => {
    const registrations = steps.filter(({ kind }) => kind === 'registration')
    const refused = registrations.find(({ status }) => status >= 400)
    const served = registrations.find(({ status }) => status < 300)
    if (registrations.length < 2 || served === undefined) return undefined
    const text = `Of ${registrations.length} registrations, ${refused ? `one was answered with ${refused.status}` : 'none was refused'}`
    return answer(refused === undefined, text)
  },
  'authorization-refused': on('authorization', authorized),
  'client-document-refused': on('authorization', (step) =>
    step.client?.startsWith('https://') ? authorized(step) : undefined,
  ),
  'consent-page-csp': on('authorization', ({ details: { formAction, redirect } }) => {
    if (typeof redirect !== 'string') return undefined
    if (typeof formAction !== 'string') return passed('The page has no form-action')
    const text = `form-action was ${quoted(formAction)}, and the client is at ${quoted(redirect)}`
    return answer(allowsTarget(formAction, redirect), text)
  }),
  'redirect-uri-changed': on('redirect', ({ details: { location } }, { authorization }) => {
    const redirect = authorization?.details.redirect
    if (redirect === undefined) return undefined
    const text = `The redirect_uri was ${quoted(redirect)}, and the response was sent to ${quoted(location)}`
    return answer(location === redirect, text)
  }),
  'state-changed': on('redirect', ({ details: { returnsState } }, { authorization }) => {
    const hasState = authorization?.details.hasState
    if (hasState === undefined) return undefined
    const text = `The request had ${hasState ? 'a' : 'no'} state, and the response ${returnsState ? 'a' : 'no'} state`
    return answer(returnsState === hasState, text)
  }),
  'token-request-refused': on('token', statusOf),
  'refresh-refused': on('refresh', statusOf),
  'token-audience-mismatch': (evidence) => {
    const { token, pasted, resource } = evidence
    const audience = token?.details.audience
    const url = pasted ?? resource?.resource
    if (!isUrl(audience) || !isUrl(url)) return undefined
    const text = `The token is for ${quoted(audience)}, and the URL is ${quoted(url)}`
    const isRefused = tokenUse(evidence)?.passed === false
    return answer(comparable(audience) === comparable(url) || !isRefused, text)
  },
  'token-refused': tokenUse,
  'scope-insufficient': ({ steps, endpoints }) => {
    const refused = endpoints.findLast(
      ({ status, details }) => status === 403 && details.authorization !== 'none',
    )
    const isOrigin = refused?.events.some(({ name }) => name === 'origin-not-allowed')
    if (refused === undefined || isOrigin) return undefined
    const text = 'A request with a token was answered with 403'
    if (hasStepUp(refused, steps)) {
      return passed(`${text}, and after a further sign-in, requests with the new token were served`)
    }
    const fix =
      'initial: true lets clients request a scope that includes others at the first sign-in'
    return failed(`${text}. In scopes of embedded(), ${fix}`)
  },
} satisfies Readonly<Record<string, Check>>

/** Whether the client obtained a further token after the refusal, and a request with it was served. */
function hasStepUp(refused: TimelineStep, steps: Evidence['steps']): boolean {
  const token = stepsAfter(refused, steps).find(
    ({ kind, status, details }) =>
      kind === 'token' && status === 200 && details.grant !== 'refresh_token',
  )
  if (token === undefined) return false
  return stepsAfter(token, steps).some(
    ({ kind, status, details }) =>
      kind === 'endpoint' && status < 400 && details.authorization !== 'none',
  )
}

/** Whether a request with the last token was served. */
function tokenUse({ token, steps }: Evidence): Answer | undefined {
  if (token?.status !== 200) return undefined
  const later = stepsAfter(token, steps).filter(({ kind }) => kind === 'endpoint')
  const refused = later.findLast(({ status }) => status === 401)
  if (refused === undefined) return passed('No request with the token was refused')
  if (later.some(({ status }) => status < 400)) return passed('Requests with the token were served')
  const isBare = refused.details.authorization === 'none'
  return failed(
    isBare
      ? 'After the token was issued, a request came without an Authorization header'
      : `A request with the token was refused: ${reasonOf(refused)}`,
  )
}

function statusOf(step: TimelineStep): Answer {
  const isServed = step.status < 300 && step.details.error === undefined
  const reason = isServed ? '' : `: ${reasonOf(step)}`
  return answer(isServed, `The request was answered with ${step.status}${reason}`)
}

function authorized(step: TimelineStep): Answer {
  const isServed = step.status < 400 && step.details.error === undefined
  const { resource } = step.details
  const named = resource === undefined ? '' : `, for the resource ${quoted(resource)}`
  const reason = isServed ? '' : `${named}: ${reasonOf(step)}`
  return answer(isServed, `The request was answered with ${step.status}${reason}`)
}

const comparable = (url: string) => url.replace(/\/$/, '').toLowerCase()

/** The redirect as it is recorded: a scheme, or an origin, which is without its port on a loopback host. */
function allowsTarget(formAction: string, redirect: string): boolean {
  const target = URL.parse(redirect.endsWith(':') ? `${redirect}//` : redirect)
  if (target === null) return false
  const sources =
    target.protocol === 'http:' ? formAction.replace(/:(?:\d+|\*)(?= |$)/g, '') : formAction
  return allowsForm(sources, target)
}
