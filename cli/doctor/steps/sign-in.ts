/** Step: the client registers, the authorization page opens, and its response is valid. */
import { OAuthClientInformationFullSchema } from '@modelcontextprotocol/sdk/shared/auth.js'
import type { Client } from '../clients.ts'
import { type Detected, describeReply, detected, type Step } from '../detected.ts'
import { isPrivateHost } from '../http/addresses.ts'
import type { HttpResponse } from '../http/http-client.ts'
import { identityAt } from '../oauth/identity.ts'
import type { Observations } from '../observations.ts'
import type { DiscoveryObservation } from '../probes/authorization.ts'
import type { AuthorizationPageObservation } from '../probes/authorization-page.ts'
import type { RegistrationObservation } from '../probes/registration.ts'
import { firstIssue } from '../schema.ts'
import { isHtml, isObject, parseJson, quoted } from '../text.ts'

export const signIn: Step = {
  title: 'signs in',
  check: (observed, client) => {
    const { discovery, signIn: seen } = observed
    if (discovery?.server?.value === undefined || seen === undefined) return []
    const registration = seen.registrations.get(client.name)
    const page = seen.pages.get(client.name)
    const refused = registration === undefined ? [] : registrationFaults(registration)
    const repeated = refused.length > 0 ? [] : repeatedFaults(seen.repeated, client)
    const isMissing = seen.missingPage !== undefined && page?.response === undefined
    if (seen.missingPage !== undefined && isMissing) {
      const { url } = seen.missingPage
      const text = `GET ${url.origin}${url.pathname} is answered with ${describeReply(seen.missingPage)}`
      return [...refused, ...repeated, detected('authorization-page-missing', text)]
    }
    const responses = page?.response === undefined ? ownResponse(observed) : pageResponse(page)
    return [
      ...refused,
      ...repeated,
      ...(page === undefined ? [] : pageFaults(page, discovery, client, seen.unknownClient)),
      ...responses.flatMap((response) => responseFaults(response, discovery)),
    ]
  },
}

function registrationFaults({ reply, redirectUris }: RegistrationObservation): Detected[] {
  const sent = `A registration with redirect_uris ${quoted(redirectUris)}`
  const say = (code: Detected['code'], text: string) => [detected(code, `${sent} ${text}`)]
  if (reply.ok && reply.status >= 500) {
    return say('server-error', `is answered with ${describeReply(reply)}`)
  }
  if (reply.ok && reply.status === 429) {
    return say('registration-limited', `is answered with ${describeReply(reply)}`)
  }
  if (!reply.ok || reply.status >= 300) {
    return say('registration-refused', `is answered with ${describeReply(reply)}`)
  }
  const value = parseJson(reply.text)
  if (!isObject(value)) {
    return say('registration-response-invalid', `is answered with ${describeReply(reply)}`)
  }
  // The SDK reads the members of the specification, and the secret may be null in none of them.
  const invalid = firstIssue(OAuthClientInformationFullSchema, value)
  if (invalid !== undefined)
    return say('registration-response-invalid', `is answered with ${invalid}`)
  const registered: readonly unknown[] = Array.isArray(value.redirect_uris)
    ? value.redirect_uris
    : []
  const missing = redirectUris.filter((uri) => !registered.includes(uri))
  if (missing.length > 0) {
    return say('registration-redirects-changed', `registers ${quoted(registered)}`)
  }
  return reply.status === 201 ? [] : say('registration-status', `has status ${reply.status}`)
}

function repeatedFaults(
  repeated: readonly RegistrationObservation[] | undefined,
  client: Client,
): Detected[] {
  const failed = repeated?.find(({ clientId }) => clientId === undefined)
  if (failed === undefined || !client.name.startsWith('Claude')) return []
  const isLimited = failed.reply.ok && failed.reply.status === 429
  return [
    detected(
      isLimited ? 'registration-limited' : 'registration-not-concurrent',
      `Another registration is answered with ${describeReply(failed.reply)}`,
    ),
  ]
}

/** Errors that say that a person is needed, or that one declined. */
const NEEDS_PERSON = /^(?:login|interaction|consent|account_selection)_required$|^access_denied$/

function pageFaults(
  page: AuthorizationPageObservation,
  discovery: DiscoveryObservation,
  client: Client,
  unknown: AuthorizationPageObservation | undefined,
): Detected[] {
  const { request, reply, response } = page
  const isDocument = identityAt(discovery.server?.value ?? {}, client) === 'document'
  const code = isDocument ? 'client-document-refused' : 'authorization-refused'
  const sent = `An authorization request with client_id ${quoted(request.clientId)}, redirect_uri ${quoted(request.redirectUri)} and resource ${quoted(request.resource)}`
  const error = response?.get('error') ?? undefined
  if (error !== undefined) {
    if (NEEDS_PERSON.test(error)) return []
    const description = response?.get('error_description') ?? ''
    return [
      detected(
        'authorization-refused',
        `${sent} is answered with error ${quoted(error)} ${quoted(description)}`,
      ),
    ]
  }
  if (!reply.ok || reply.status >= 400) {
    if (isDocument && isUnfetched(page, unknown)) return []
    if (reply.ok && reply.status >= 500) {
      return [detected('server-error', `${sent} is answered with ${describeReply(reply)}`)]
    }
    return [detected(code, `${sent} is answered with ${describeReply(reply)}`)]
  }
  if (page.strayTarget !== undefined) {
    const text = `${sent} is answered with a redirect to ${quoted(page.strayTarget)}`
    return [detected('redirect-uri-changed', text)]
  }
  const refused = errorIn(reply.text)
  if (refused !== undefined) {
    return [detected('authorization-refused', `${sent} is answered with ${quoted(refused)}`)]
  }
  return policyFaults(reply, request.redirectUri)
}

/** The error of a JSON body; pages for people have none. */
function errorIn(text: string): string | undefined {
  const value = parseJson(text)
  return isObject(value) && typeof value.error === 'string' ? value.error : undefined
}

/**
 * Whether the server tried to fetch the document. A server on this machine or in a private network may
 * have no way to the internet, where the document is. One that supports no documents answers as it does
 * for any unknown client.
 */
function isUnfetched(
  { request, reply }: AuthorizationPageObservation,
  unknown: AuthorizationPageObservation | undefined,
): boolean {
  if (!isPrivateHost(request.endpoint) || !reply.ok || unknown === undefined) return false
  return answerOf({ request, reply }) !== answerOf(unknown)
}

/** The status and the text without the client id. */
function answerOf({ request, reply }: Pick<AuthorizationPageObservation, 'request' | 'reply'>) {
  if (!reply.ok) return reply.failure.kind
  const ids = [request.clientId, encodeURIComponent(request.clientId)]
  const text = ids.reduce((rest, id) => rest.replaceAll(id, ''), reply.text)
  // A page may have a time or a random value, which contains digits.
  return `${reply.status} ${text.replace(/[^A-Za-z ]*[0-9][^ ]*/g, '')}`
}

/** The form of the page ends in a redirect to the client, which `form-action` must allow. */
function policyFaults({ headers, text }: HttpResponse, redirectUri: string): Detected[] {
  const policy = headers['content-security-policy'] ?? ''
  const [, sources] = /(?:^|;)\s*form-action\s+([^;]*)/i.exec(policy.slice(0, 8192)) ?? []
  if (sources === undefined || !isHtml(text) || !/<form/i.test(text)) return []
  // A page that signs a person in first is followed by another one.
  if (/type=["']?password/i.test(text)) return []
  const target = new URL(redirectUri)
  const allowed = sources.toLowerCase().split(/\s+/)
  const isAllowed = allowed.some(
    (source) =>
      source === '*' ||
      source === target.protocol ||
      source.startsWith(`${target.protocol}//${target.host}`) ||
      source === target.host ||
      source === `${target.protocol}//${target.hostname}:*`,
  )
  if (isAllowed) return []
  return [
    detected(
      'consent-page-csp',
      `The page has form-action ${quoted(sources)}, and the redirect URI is ${quoted(redirectUri)}`,
    ),
  ]
}

interface AuthorizationResponse {
  readonly parameters: URLSearchParams
  readonly state: string
}

function pageResponse({ response, state }: AuthorizationPageObservation): AuthorizationResponse[] {
  return response === undefined ? [] : [{ parameters: response, state }]
}

function ownResponse({ signIn: seen }: Observations): AuthorizationResponse[] {
  return seen?.own === undefined ? [] : [{ parameters: seen.own.response, state: seen.own.state }]
}

function responseFaults(
  { parameters, state }: AuthorizationResponse,
  { server, issuer, issuerText }: DiscoveryObservation,
): Detected[] {
  const faults: Detected[] = []
  if (!parameters.get('code') && !parameters.has('error')) {
    const sent = [...parameters].filter(([, value]) => value !== '')
    const names = sent.map(([name]) => name).join(', ')
    const text = `The authorization response has neither code nor error, but ${quoted(names)}`
    return [detected('authorization-refused', text)]
  }
  if (parameters.getAll('code').length > 1) {
    faults.push(detected('authorization-refused', 'The authorization response has several codes'))
  }
  const returned = parameters.getAll('state')
  if (returned.length !== 1 || returned[0] !== state) {
    const text = `The state was ${quoted(state)} and is ${quoted(textOf(returned))} in the response`
    faults.push(detected('state-changed', text))
  }
  const metadata = server?.value ?? {}
  const issuers = parameters.getAll('iss')
  const [iss] = issuers
  const expected: readonly unknown[] = [metadata.issuer, issuerText ?? issuer.href]
  if (iss === undefined) {
    if (metadata.authorization_response_iss_parameter_supported === true) {
      const names = [...parameters.keys()].join(', ')
      faults.push(
        detected('iss-missing', `The authorization response has the parameters ${quoted(names)}`),
      )
    }
  } else if (issuers.length > 1 || !expected.includes(iss)) {
    const text = `iss is ${quoted(textOf(issuers))}, and the issuer is ${quoted(metadata.issuer)}`
    faults.push(detected('iss-mismatch', text))
  }
  return faults
}

/** The values of a parameter; undefined without one. */
const textOf = (values: readonly string[]) => (values.length === 0 ? undefined : values.join(', '))
