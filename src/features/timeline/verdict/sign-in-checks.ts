/** Checks of registration, the authorization response and tokens, as the server answered them. */
import type { Details, TimelineStep } from '../../../ports/timeline.ts'
import { type Answer, answer, failed, passed, quoted } from './answer.ts'
import { isUrl } from './discovery-checks.ts'
import { type Evidence, stepsAfter } from './evidence.ts'
import type { SignInCode } from './fault-code.ts'

type Check = (evidence: Evidence) => Answer | undefined

const DAY_SECONDS = 86_400

/** A check of a request that was served. */
const ofToken =
  (check: (details: Details, evidence: Evidence) => Answer | undefined): Check =>
  (evidence) =>
    evidence.token?.status === 200 ? check(evidence.token.details, evidence) : undefined

const ofResponse =
  (check: (details: Details, evidence: Evidence) => Answer | undefined): Check =>
  (evidence) =>
    evidence.response && check(evidence.response.details, evidence)

export const SIGN_IN_CHECKS: Readonly<Record<SignInCode, Check>> = {
  'registration-refused': ({ registration }) => registration && statusOf(registration),
  'registration-status': ({ registration }) =>
    registration === undefined || registration.status >= 300
      ? undefined
      : answer(registration.status === 201, `The status was ${registration.status}`),
  'registration-response-invalid': ({ registration }) => {
    if (registration === undefined || registration.status >= 300) return undefined
    const { hasClientId, redirects } = registration.details
    const text = `The response had ${hasClientId ? 'a' : 'no'} client_id and the redirect_uris ${quoted(redirects)}`
    return answer(hasClientId === true && redirects !== undefined, text)
  },
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
  'authorization-refused': ({ authorization }) => authorization && authorized(authorization),
  'client-document-refused': ({ authorization }) =>
    authorization?.client?.startsWith('https://') ? authorized(authorization) : undefined,
  'consent-page-csp': ({ authorization }) => {
    const { formAction, redirect } = authorization?.details ?? {}
    if (typeof redirect !== 'string') return undefined
    if (typeof formAction !== 'string') return passed('The page has no form-action')
    const text = `form-action was ${quoted(formAction)}, and the client is at ${quoted(redirect)}`
    return answer(allowsTarget(formAction, redirect), text)
  },
  'redirect-uri-changed': ofResponse(({ location }, { authorization }) => {
    const redirect = authorization?.details.redirect
    if (redirect === undefined) return undefined
    const text = `The redirect_uri was ${quoted(redirect)}, and the response was sent to ${quoted(location)}`
    return answer(location === redirect, text)
  }),
  'state-changed': ofResponse(({ returnsState }, { authorization }) => {
    const { hasState } = authorization?.details ?? {}
    if (hasState === undefined) return undefined
    const text = `The request had ${hasState ? 'a' : 'no'} state, and the response ${returnsState ? 'a' : 'no'} state`
    return answer(returnsState === hasState, text)
  }),
  'iss-missing': ofResponse(({ iss }, { server }) => {
    if (server?.details.issInResponse === false) return undefined
    return answer(iss !== undefined, `The authorization response had iss ${quoted(iss)}`)
  }),
  'iss-mismatch': ofResponse(({ iss }, { server }) => {
    const issuer = server?.details.issuer
    if (issuer === undefined || iss === undefined) return undefined
    return answer(iss === issuer, `iss was ${quoted(iss)}, and the issuer is ${quoted(issuer)}`)
  }),
  'token-request-refused': ({ token }) => token && statusOf(token),
  'token-response-invalid': ofToken(({ isDocument, hasToken, tokenType, type }) =>
    answer(
      isDocument === true && hasToken === true && String(tokenType).toLowerCase() === 'bearer',
      `The response was ${quoted(type)} with ${hasToken ? 'an' : 'no usable'} access_token and token_type ${quoted(tokenType)}`,
    ),
  ),
  'token-expiry-invalid': ofToken(({ expires }) =>
    expires === undefined
      ? undefined
      : answer(typeof expires === 'number' && expires > 0, `expires_in was ${quoted(expires)}`),
  ),
  'token-without-expiry': ofToken(({ expires }) =>
    answer(expires !== undefined, `expires_in was ${quoted(expires)}`),
  ),
  'token-short-lived': ofToken(({ expires }) =>
    typeof expires === 'number' && expires > 0
      ? answer(expires >= DAY_SECONDS, `expires_in was ${expires} seconds`)
      : undefined,
  ),
  'token-without-refresh': ofToken(({ expires, hasRefreshToken }) =>
    expires === undefined
      ? undefined
      : answer(
          hasRefreshToken === true,
          `The response had ${hasRefreshToken ? 'a' : 'no'} refresh_token`,
        ),
  ),
  'token-audience-mismatch': (evidence) => {
    const { token, pasted, resource } = evidence
    const audience = token?.details.audience
    const url = pasted ?? resource?.details.resource
    if (!isUrl(audience) || !isUrl(url)) return undefined
    const text = `The token is for ${quoted(audience)}, and the URL is ${quoted(url)}`
    const isRefused = tokenUse(evidence)?.passed === false
    return answer(comparable(audience) === comparable(url) || !isRefused, text)
  },
  'token-refused': (evidence) => tokenUse(evidence),
  'scope-insufficient': ({ steps }) => {
    const refused = steps.findLast(
      ({ kind, status, details }) =>
        kind === 'endpoint' && status === 403 && details.authorization !== 'none',
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
  'refresh-refused': ({ refresh }) => refresh && statusOf(refresh),
}

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

export function reasonOf({ events, details, status }: TimelineStep): string {
  const reason = events.findLast(({ type }) => type !== 'leniency')
  if (reason !== undefined) return `${reason.name}, ${reason.message}`
  return details.error === undefined ? `status ${status}` : String(details.error)
}

const comparable = (url: string) => url.replace(/\/$/, '').toLowerCase()

/** Whether a policy allows the target of the redirect: by scheme, by origin, or as every target. */
function allowsTarget(formAction: string, redirect: string): boolean {
  const sources = formAction.split(' ')
  const scheme = `${redirect.split(':')[0]}:`
  const hostOf = (source: string) => source.replace(/:(?:\d+|\*)$/, '')
  return sources.some(
    (source) => source === '*' || source === scheme || hostOf(source) === redirect,
  )
}
