/** Step: the client registers, the authorization page opens, and its response is valid. */
import { OAuthClientInformationFullSchema } from '@modelcontextprotocol/sdk/shared/auth.js'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { allowsForm, formActionOf } from '../../../../faults/src/checks/documents.ts'
import { parseJson } from '../../../../text/src/json/json-text.ts'
import { listIn } from '../../../../text/src/json/members.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import type { Client } from '../clients.ts'
import {
  answered,
  type Detected,
  describe,
  detected,
  failedChecks,
  type Step,
} from '../detected.ts'
import { discoveryFacts, responseFacts } from '../facts.ts'
import { isPrivateHost } from '../http/addresses.ts'
import type { HttpResponse } from '../http/http-client.ts'
import { isHtml } from '../http/is-html.ts'
import { identityAt } from '../oauth/identity.ts'
import type { Observations } from '../observations.ts'
import type { DiscoveryObservation } from '../probes/authorization.ts'
import type { AuthorizationPageObservation } from '../probes/authorization-page.ts'
import type { RegistrationObservation } from '../probes/registration.ts'
import type { OwnSignIn } from '../probes/sign-in.ts'
import { firstIssue } from '../schema.ts'

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
      const sent = `GET ${url.origin}${url.pathname}`
      return [
        ...refused,
        ...repeated,
        answered('authorization-page-missing', sent, seen.missingPage),
      ]
    }
    const response = responseOf(page, observed)
    return [
      ...refused,
      ...repeated,
      ...(page === undefined ? [] : pageFaults(page, discovery, client, seen.unknownClient)),
      ...(response === undefined ? [] : responseFaults(response, discovery, observed.pasted)),
    ]
  },
}

function registrationFaults({ reply, redirectUris }: RegistrationObservation): Detected[] {
  const sent = `A registration with redirect_uris ${quoted(redirectUris)}`
  const refused = (code: Detected['code']) => [answered(code, sent, reply)]
  if (reply.ok && reply.status >= 500) return refused('server-error')
  if (reply.ok && reply.status === 429) return refused('registration-limited')
  if (!reply.ok || reply.status >= 300) return refused('registration-refused')
  const value = parseJson(reply.text)
  if (!isJsonObject(value)) return refused('registration-response-invalid')
  // The SDK reads the members of the specification, and the secret may be null in none of them.
  const invalid = firstIssue(OAuthClientInformationFullSchema, value)
  if (invalid !== undefined) {
    return [detected('registration-response-invalid', `${sent} is answered with ${invalid}`)]
  }
  const registered = listIn(value, 'redirect_uris')
  if (redirectUris.some((uri) => !registered.includes(uri))) {
    const message = `${sent} registers ${quoted(registered)}`
    return [detected('registration-redirects-changed', message)]
  }
  if (reply.status === 201) return []
  return [detected('registration-status', `${sent} has status ${reply.status}`)]
}

function repeatedFaults(
  repeated: readonly RegistrationObservation[] | undefined,
  client: Client,
): Detected[] {
  const failed = repeated?.find((registration) => registration.client === undefined)
  if (failed === undefined || !client.name.startsWith('Claude')) return []
  const isLimited = failed.reply.ok && failed.reply.status === 429
  const code = isLimited ? 'registration-limited' : 'registration-not-concurrent'
  return [answered(code, 'Another registration', failed.reply)]
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
  const say = (code: Detected['code'], text: string) => [
    detected(code, `${sent} is answered with ${text}`),
  ]
  const error = response?.get('error') ?? undefined
  if (error !== undefined) {
    const description = response?.get('error_description') ?? ''
    const text = `error ${quoted(error)} ${quoted(description)}`
    return NEEDS_PERSON.test(error) ? [] : say('authorization-refused', text)
  }
  if (!reply.ok || reply.status >= 400) {
    if (isDocument && isUnfetched(page, unknown)) return []
    const isBroken = reply.ok && reply.status >= 500
    return say(isBroken ? 'server-error' : code, describe(reply))
  }
  if (page.strayTarget !== undefined) {
    return say('redirect-uri-changed', `a redirect to ${quoted(page.strayTarget)}`)
  }
  const refused = errorIn(reply.text)
  if (refused !== undefined) return say('authorization-refused', quoted(refused))
  return policyFaults(reply, request.redirectUri)
}

/** The error of a JSON body; pages for people have none. */
function errorIn(text: string): string | undefined {
  const value = parseJson(text)
  return isJsonObject(value) && typeof value.error === 'string' ? value.error : undefined
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
  const sources = formActionOf(headers['content-security-policy'] ?? '')
  if (sources === undefined || !isHtml(text) || !/<form/i.test(text)) return []
  // A page that signs a person in first is followed by another one.
  if (/type=["']?password/i.test(text)) return []
  if (allowsForm(sources, new URL(redirectUri))) return []
  const message = `The page has form-action ${quoted(sources)}, and the redirect URI is ${quoted(redirectUri)}`
  return [detected('consent-page-csp', message)]
}

/** The response of the page of a client, otherwise that of the sign-in of the doctor. */
function responseOf(page: AuthorizationPageObservation | undefined, { signIn }: Observations) {
  const { response, state } = page?.response === undefined ? (signIn?.own ?? {}) : page
  return response && state !== undefined ? { response, state } : undefined
}

function responseFaults(
  { response, state }: Pick<OwnSignIn, 'response' | 'state'>,
  discovery: DiscoveryObservation,
  pasted: URL,
): Detected[] {
  if (!response.get('code') && !response.has('error')) {
    const sent = [...response].filter(([, value]) => value !== '')
    const names = sent.map(([name]) => name).join(', ')
    const text = `The authorization response has neither code nor error, but ${quoted(names)}`
    return [detected('authorization-refused', text)]
  }
  const faults: Detected[] = []
  if (response.getAll('code').length > 1) {
    faults.push(detected('authorization-refused', 'The authorization response has several codes'))
  }
  const returned = response.getAll('state')
  if (returned.length !== 1 || returned[0] !== state) {
    const shown = returned.length === 0 ? undefined : returned.join(', ')
    const text = `The state was ${quoted(state)} and is ${quoted(shown)} in the response`
    faults.push(detected('state-changed', text))
  }
  const facts = {
    ...discoveryFacts(discovery, pasted),
    response: responseFacts(response, discovery),
  }
  return [...faults, ...failedChecks(facts, 'iss-missing', 'iss-mismatch')]
}
