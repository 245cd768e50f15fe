/** Rules of the proofs of domains, and of the domain itself. */
import { isHtml, quoted } from '../../doctor/text.ts'
import type { Detected, Rule } from '../finding.ts'
import type { DirectoryInput, WellKnownAnswer } from '../input.ts'
import type { DirectoryName } from '../names.ts'
import { describedBy } from './documents.ts'

const MAX_REGISTRY_BYTES = 4096

/** The key of the record: 32 bytes of Ed25519, or a compressed point of P-384. */
const REGISTRY_PROOF =
  /^v=MCPv1; ?k=(?:ed25519; ?p=[A-Za-z0-9+/]{43}=?|ecdsap384; ?p=[A-Za-z0-9+/]{65,68}={0,2})$/

/** The token of the dashboard: one word. */
const OPENAI_PROOF = /^[A-Za-z0-9._~+/=-]{8,512}$/

export const proofs: Rule = (input, directory) => {
  const proof = proofFor(input, directory)
  if (proof === undefined) return []
  const { answer, path, format } = proof
  const found = (code: Detected['code'], seen: string): Detected[] => [{ code, seen }]
  const { status, contentType, body, redirectedTo } = answer
  const has = `${path} answers ${status}`
  if (redirectedTo !== undefined || (status >= 300 && status < 400)) {
    return found('proof-redirects', `${has} and leads to ${quoted(redirectedTo)}`)
  }
  // A proof that is not configured is none.
  if (status === 404 || status === 410) return []
  if (status < 200 || status > 299) return found('proof-refused', has)
  if (isHtml(body) || /html/.test(contentType)) return found('proof-is-a-page', has)
  if (contentType !== 'text/plain') {
    return found('proof-not-plain-text', `${has} with the type ${quoted(contentType)}`)
  }
  const isTooLong = Buffer.byteLength(body) > MAX_REGISTRY_BYTES
  if (isTooLong || !format.test(body.trim())) return found('proof-invalid', `It is ${quoted(body)}`)
  return []
}

interface Proof {
  readonly answer: WellKnownAnswer
  readonly path: string
  readonly format: RegExp
}

function proofFor(input: DirectoryInput, directory: DirectoryName): Proof | undefined {
  const { openaiAppsChallenge, mcpRegistryAuth } = input.wellKnown ?? {}
  if (directory === 'openai-plugins' && openaiAppsChallenge !== undefined) {
    const path = '/.well-known/openai-apps-challenge'
    return { answer: openaiAppsChallenge, path, format: OPENAI_PROOF }
  }
  if (directory !== 'mcp-registry' || mcpRegistryAuth === undefined) return undefined
  // A namespace of GitHub is proved by a sign-in there.
  if (namespacesIn(input).some((namespace) => namespace.startsWith('io.github.'))) return undefined
  const path = '/.well-known/mcp-registry-auth'
  return { answer: mcpRegistryAuth, path, format: REGISTRY_PROOF }
}

/** `com.example` of `com.example/notes`. */
const namespacesIn = (input: DirectoryInput) =>
  describedBy(input)
    .flatMap(({ name }) => (name?.includes('/') ? name.slice(0, name.indexOf('/')) : []))
    .map((namespace) => namespace.toLowerCase())

/** Domains below which anyone has a name of their own. */
const SHARED =
  /\.(?:workers\.dev|pages\.dev|vercel\.app|netlify\.app|herokuapp\.com|github\.io|fly\.dev|onrender\.com|run\.app|ngrok\.(?:io|app|dev))$/

export const domain: Rule = (input) => {
  const { url, isDevelopment = false } = input
  const namespace = namespacesIn(input)[0]
  if (url === undefined || isDevelopment || namespace === undefined || !URL.canParse(url)) return []
  if (namespace.startsWith('io.github.')) return []
  const owner = namespace.split('.').toReversed().join('.')
  const host = new URL(url).hostname
  const isSame = host === owner || host.endsWith(`.${owner}`) || owner.endsWith(`.${host}`)
  if (isSame) return []
  const where = SHARED.test(host) ? ', a domain that many share' : ''
  const seen = `The name belongs to ${quoted(owner)}, and the endpoint is at ${quoted(host)}${where}`
  return [{ code: 'domain-differs', seen }]
}
