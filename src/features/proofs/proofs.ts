/** `proofs()`: the texts by which directories check that a domain belongs to the owner of the server. */

import { createFeature } from '../../feature/create-feature.ts'
import type { Feature } from '../../feature/feature.ts'
import type { Handle, Route } from '../../feature/route.ts'
import { DOMAIN_PROOFS } from '../../protocol/domain-proofs.ts'
import { drain } from '../../transport/body/drain.ts'

/** The text, or a function of the environment that returns it. Without a text, the path is answered with 404. */
export type Proof = string | ((env: never) => string | undefined | Promise<string | undefined>)

export interface ProofOptions {
  /** The token of the domain verification of OpenAI, served at `/.well-known/openai-apps-challenge`. */
  readonly openaiApps?: Proof
  /**
   * The record `v=MCPv1; k=ed25519; p=…` of the MCP registry, served at `/.well-known/mcp-registry-auth`. The key may be
   * of the kind `ecdsap384`. It is a public key: the private one stays with `mcp-publisher`.
   */
  readonly mcpRegistry?: Proof
}

export type Proofs = Feature<'proofs'>

/**
 * Serves proofs of the domain, each once it is configured. Everyone can read them.
 *
 * @throws {TypeError} for an invalid option. A text of the environment is checked when it is read: an invalid one is
 *   answered with 500, and telemetry receives the error
 */
export function proofs(options: ProofOptions): Proofs {
  const given: unknown = options
  if (typeof given !== 'object' || given === null) throw new TypeError('proofs must be an object')
  for (const [name, proof] of Object.entries(given)) {
    if (!Object.hasOwn(DOMAIN_PROOFS, name)) throw new TypeError(`proofs.${name} does not exist`)
    if (typeof proof !== 'function') textOf(name as keyof ProofOptions, proof)
  }
  const names = Object.keys(DOMAIN_PROOFS) as (keyof ProofOptions)[]
  return createFeature('proofs', () => ({
    routes: () => names.map((name) => proofRoute(name, options[name])),
  }))
}

function proofRoute(name: keyof ProofOptions, proof: Proof | undefined): Route {
  const handle: Handle = async (request, env) => {
    const { method } = request
    const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
    if (method !== 'GET' && method !== 'HEAD') {
      await drain(request)
      const error = { error: 'method_not_allowed', message: 'A proof is read by GET' }
      return Response.json(error, { status: 405, headers: { ...headers, allow: 'GET, HEAD' } })
    }
    const text = textOf(name, typeof proof === 'function' ? await proof(env as never) : proof)
    if (text === undefined) {
      const error = { error: 'not_found', message: `proofs.${name} is not configured` }
      return Response.json(error, { status: 404, headers })
    }
    return new Response(method === 'HEAD' ? null : text, {
      headers: { ...headers, 'content-type': 'text/plain' },
    })
  }
  return { path: DOMAIN_PROOFS[name].path, handle }
}

/**
 * Returns the text without the white space around it; undefined for none.
 *
 * @throws {TypeError} for a text that the directory would refuse
 */
function textOf(name: keyof ProofOptions, value: unknown): string | undefined {
  const { form, must } = DOMAIN_PROOFS[name]
  if (value === undefined || value === null) return undefined
  const text = typeof value === 'string' ? value.trim() : undefined
  if (text === '') return undefined
  if (text === undefined || !form.test(text)) throw new TypeError(`proofs.${name} must be ${must}`)
  return text
}
