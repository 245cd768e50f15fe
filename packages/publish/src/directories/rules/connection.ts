/** Rules of the URL and of the authorization. */

import { hostKind } from '../../../../client/src/host-kind.ts'
import { failedChecks } from '../../../../doctor/src/doctor/detected.ts'
import { isUrl } from '../../../../faults/src/checks/answer.ts'
import type { SharedCode } from '../../../../faults/src/checks/checks.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import { printable } from '../../../../text/src/terminal-text.ts'
import type { DirectoryCode } from '../faults.ts'
import type { Detected, Rule } from '../finding.ts'
import type { AuthorizationFacts } from '../input.ts'

/** A parameter that has a key. */
const CREDENTIAL =
  /^(?:x[_-]?)?(?:api[_-]?key|key|token|access[_-]?token|auth|auth[_-]?token|secret|password|code|sig|signature)$/i

export const url: Rule = ({ url: text, isDevelopment = false }) => {
  if (text === undefined) return []
  if (!URL.canParse(text)) return [{ code: 'url-not-https', seen: `It is ${quoted(text)}` }]
  const parsed = new URL(text)
  const found: Detected[] = []
  const kind = hostKind(parsed)
  const isLocal = isDevelopment && kind === 'loopback'
  const seen = `It is ${quoted(withoutValues(parsed))}`
  if (kind !== 'public' && !isLocal) found.push({ code: 'url-not-public', seen })
  else if (parsed.protocol !== 'https:' && !isLocal) found.push({ code: 'url-not-https', seen })
  if (
    parsed.username !== '' ||
    [...parsed.searchParams.keys()].some((name) => CREDENTIAL.test(name))
  ) {
    found.push({ code: 'url-has-credential', seen })
  }
  return found
}

/** A report may be published, and a key of the URL is none of its business. */
function withoutValues(parsed: URL): string {
  const shown = new URL(parsed)
  if (shown.username !== '' || shown.password !== '') {
    shown.username = '…'
    shown.password = ''
  }
  for (const name of new Set(parsed.searchParams.keys())) {
    if (CREDENTIAL.test(name)) shown.searchParams.set(name, '…')
  }
  return decodeURI(shown.href)
}

/** What the doctor calls a fault, by the code of this catalogue. In the order in which a client meets it. */
const CHECKED: Readonly<Partial<Record<SharedCode, DirectoryCode>>> = {
  'challenge-missing': 'challenge-without-metadata',
  'challenge-without-metadata': 'challenge-without-metadata',
  'resource-mismatch': 'resource-differs',
  'resource-not-exact': 'resource-differs',
  'resource-trailing-slash': 'resource-differs',
  'url-trailing-slash': 'resource-differs',
  'authorization-servers-missing': 'authorization-server-missing',
  'issuer-mismatch': 'issuer-differs',
  'issuer-trailing-slash': 'issuer-differs',
  'pkce-not-advertised': 'pkce-missing',
  'no-client-registration': 'registration-missing',
  'cimd-without-none': 'cimd-without-none',
  'endpoint-not-https': 'oauth-endpoint-not-public',
  'metadata-names-internal-host': 'oauth-endpoint-not-public',
}

export const authorization: Rule = ({ authorization: seen }, directory) => {
  if (seen === undefined) return []
  if (seen.kind === 'pasted') {
    return [{ code: 'oauth-missing', seen: 'The 401 leads to no metadata' }]
  }
  const found = [...documentFaults(seen), ...checkedFaults(seen)]
  if (found.length > 0) return found
  const client = directory === 'claude-directory' ? 'Claude (web)' : 'ChatGPT'
  return (seen.failures ?? [])
    .filter((failure) => failure.client === client)
    .map(({ causes }): Detected => {
      const { code: cause = '', message = '' } = causes[0] ?? {}
      const code = CAUSES[cause]
      if (code !== undefined) return { code, seen: withoutStop(printable(message, 1200)) }
      const texts = causes.slice(0, 3).map(({ code, message }) => `${code}: ${message}`)
      const seenText = withoutStop(printable(texts.join(' '), 1200))
      return { code: 'client-does-not-connect', seen: `${client}: ${seenText}` }
    })
}

const withoutStop = (text: string) => text.replace(/\.$/, '')

/** Why a client does not connect, by the code of this catalogue. */
const CAUSES: Readonly<Record<string, DirectoryCode>> = {
  'resource-metadata-missing': 'resource-metadata-missing',
  'resource-metadata-invalid': 'resource-metadata-missing',
  'server-metadata-missing': 'authorization-server-missing',
  'server-metadata-invalid': 'authorization-server-missing',
  'metadata-names-unreachable-host': 'oauth-endpoint-not-public',
}

function documentFaults({ kind, documents }: AuthorizationFacts): Detected[] {
  if (kind !== 'oauth' || documents === undefined) return []
  if (!documents.resource) {
    return [{ code: 'resource-metadata-missing', seen: 'No document is JSON with status 200' }]
  }
  return documents.server
    ? []
    : [{ code: 'authorization-server-missing', seen: 'No document is JSON with status 200' }]
}

/** One finding for a code: the first message is the cause. */
function checkedFaults({ facts }: AuthorizationFacts): Detected[] {
  const found = new Map<DirectoryCode, Detected>()
  if (facts === undefined) return []
  for (const [shared, code] of Object.entries(CHECKED)) {
    const [fault] = failedChecks(facts, shared as SharedCode)
    if (fault === undefined || found.has(code)) continue
    // A client that cannot use its document registers, where it may.
    const isDoubtful = code === 'cimd-without-none' && isUrl(facts.server?.registrationEndpoint)
    found.set(code, { code, seen: fault.message, isDoubtful })
  }
  return [...found.values()]
}
