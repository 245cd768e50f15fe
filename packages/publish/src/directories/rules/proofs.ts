/** Rules of the proofs of domains, and of the domain itself. */
import { DOMAIN_PROOFS, type DomainProof } from '../../../../../src/protocol/domain-proofs.ts'
import { isHtml } from '../../../../doctor/src/doctor/http/is-html.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import type { Detected, Rule } from '../finding.ts'
import type { DirectoryInput, WellKnownAnswer } from '../input.ts'
import type { DirectoryName } from '../names.ts'
import { describedBy } from './documents.ts'

const MAX_REGISTRY_BYTES = 4096

/** A shorter text is no token of the dashboard, but what a site answers at every path. */
const MIN_CHARACTERS = 8

export const proofs: Rule = (input, directory) => {
  const proof = proofFor(input, directory)
  if (proof === undefined) return []
  const { answer, kind } = proof
  const { path, form } = DOMAIN_PROOFS[kind]
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
  const text = body.trim()
  const isProof =
    Buffer.byteLength(body) <= MAX_REGISTRY_BYTES &&
    text.length >= MIN_CHARACTERS &&
    form.test(text)
  return isProof ? [] : found('proof-invalid', `It is ${quoted(body)}`)
}

interface Proof {
  readonly answer: WellKnownAnswer
  readonly kind: DomainProof
}

function proofFor(input: DirectoryInput, directory: DirectoryName): Proof | undefined {
  const { openaiAppsChallenge, mcpRegistryAuth } = input.wellKnown ?? {}
  if (directory === 'openai-plugins' && openaiAppsChallenge !== undefined) {
    return { answer: openaiAppsChallenge, kind: 'openaiApps' }
  }
  if (directory !== 'mcp-registry' || mcpRegistryAuth === undefined) return undefined
  // A namespace of GitHub is proved by a sign-in there.
  if (namespacesIn(input).some((namespace) => namespace.startsWith('io.github.'))) return undefined
  return { answer: mcpRegistryAuth, kind: 'mcpRegistry' }
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
