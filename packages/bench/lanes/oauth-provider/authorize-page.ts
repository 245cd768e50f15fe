/**
 * The `/authorize` page, which `@cloudflare/workers-oauth-provider` leaves to the application:
 * consent with the library's own helpers, and sign-in by passphrase, the default of `embedded()`.
 */
import {
  AuthorizationError,
  CimdFetchError,
  type ConsentDescription,
  type OAuthHelpers,
} from '@cloudflare/workers-oauth-provider'

export interface Env {
  readonly OAUTH_PROVIDER: OAuthHelpers
  readonly PASSPHRASE: string
}

const USER_ID = 'owner'

export async function authorizePage(request: Request, env: Env): Promise<Response> {
  try {
    return await (request.method === 'POST' ? decide(request, env) : showConsent(request, env))
  } catch (error) {
    if (error instanceof AuthorizationError) {
      if (error.redirectTo !== undefined) return Response.redirect(error.redirectTo, 302)
      return new Response(error.description, { status: 400 })
    }
    if (error instanceof CimdFetchError) {
      return new Response('The client could not be verified', { status: 400 })
    }
    throw error
  }
}

async function showConsent(request: Request, { OAUTH_PROVIDER }: Env): Promise<Response> {
  const authRequest = await OAUTH_PROVIDER.parseAuthRequest(request)
  const details = await OAUTH_PROVIDER.describeConsent(authRequest)
  const { handle, headers } = await OAUTH_PROVIDER.beginConsent(authRequest)
  headers.set('content-type', 'text/html; charset=utf-8')
  return new Response(consentHtml(details, handle), { headers })
}

async function decide(request: Request, { OAUTH_PROVIDER, PASSPHRASE }: Env): Promise<Response> {
  const form = await request.formData()
  const handle = String(form.get('handle'))
  if (form.get('decision') !== 'approve') {
    const { headers } = await OAUTH_PROVIDER.denyConsent(request, handle)
    return new Response(null, { status: 302, headers })
  }
  if (!(await isEqual(String(form.get('passphrase')), PASSPHRASE))) {
    return new Response('The passphrase is wrong', { status: 403 })
  }
  const scope = form.getAll('scope').map(String)
  const approved = await OAUTH_PROVIDER.approveConsent(request, handle, { scope })
  const { redirectTo } = await OAUTH_PROVIDER.completeAuthorization({
    request: approved.request,
    userId: USER_ID,
    metadata: {},
    scope: approved.request.scope,
    props: { userId: USER_ID },
  })
  approved.headers.set('location', redirectTo)
  return new Response(null, { status: 302, headers: approved.headers })
}

/** Compares digests, so that the time discloses nothing about the passphrase. */
async function isEqual(given: string, expected: string): Promise<boolean> {
  const digest = (text: string) => crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return crypto.subtle.timingSafeEqual(await digest(given), await digest(expected))
}

/** Every value comes from the client and is escaped. */
function consentHtml(details: ConsentDescription, handle: string): string {
  const name = escapeHtml(details.clientName)
  const publisher =
    details.clientDomain === undefined
      ? 'The app registered itself. Its name is not verified.'
      : `The app is published by <b>${escapeHtml(details.clientDomain)}</b>.`
  const warning = details.redirectIsLoopback
    ? '<p>This is an app on your computer. Continue only if you have just started it.</p>'
    : ''
  const scopes = details.scope
    .map(escapeHtml)
    .map(
      (scope) =>
        `<p><label><input type="checkbox" name="scope" value="${scope}" checked> ${scope}</label>`,
    )
  return `<!doctype html><meta charset="utf-8"><title>Allow ${name}?</title>
<h1>Allow ${name} to use your account?</h1>
<p>${publisher} Access is sent to <b>${escapeHtml(details.redirectHost)}</b>.</p>${warning}
<form method="post"><input type="hidden" name="handle" value="${escapeHtml(handle)}">
${scopes.join('')}<p><label>Passphrase <input type="password" name="passphrase"></label>
<p><button name="decision" value="approve">Allow</button>
<button name="decision" value="deny">Deny</button></form>`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
