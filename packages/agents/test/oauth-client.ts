/** An OAuth client that registers itself and signs in at an `OAuthProvider`. */
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Entry } from './agent-client.ts'

const REDIRECT_URI = 'https://client.example.com/callback'
const VERIFIER = 'a-verifier-of-more-than-forty-three-characters-in-length'

/** Returns the `Authorization` header of a user. */
export async function signInAs(entry: Entry, origin: string, login: string): Promise<string> {
  const send = async (path: string, init: RequestInit) =>
    entry.fetch(new Request(`${origin}${path}`, init), env, createExecutionContext())
  const registered = await send('/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'none',
    }),
  })
  const { client_id } = (await registered.json()) as { client_id: string }
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(VERIFIER))
  const challenge = new Uint8Array(digest).toBase64({ alphabet: 'base64url', omitPadding: true })
  const resource = `${origin}/mcp`
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT_URI,
    state: 'state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource,
    login,
  })
  const approved = await send(`/authorize?${query}`, { redirect: 'manual' })
  const code = new URL(approved.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const issued = await send('/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      client_id,
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
      resource,
    }),
  })
  const { access_token } = (await issued.json()) as { access_token: string }
  return `Bearer ${access_token}`
}
