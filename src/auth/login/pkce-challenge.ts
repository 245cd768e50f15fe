/** PKCE towards a sign-in elsewhere. */

/** @see https://www.rfc-editor.org/rfc/rfc7636#section-4.2 */
export async function pkceChallenge(codeVerifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  return new Uint8Array(digest).toBase64({ alphabet: 'base64url', omitPadding: true })
}
