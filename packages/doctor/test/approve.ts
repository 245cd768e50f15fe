/** Signs in and approves at a page of Edgeway's authorization server, as a person does in a browser. */
export async function approve(page: URL, passphrase: string): Promise<void> {
  const shown = await fetch(page, { redirect: 'manual' })
  const html = await shown.text()
  const cookies = shown.headers.getSetCookie().map((text) => text.split(';')[0])
  const field = (name: string) =>
    new RegExp(`name="${name}"[^>]*value="([^"]*)"`).exec(html)?.[1] ?? ''
  const decided = await fetch(new URL('/authorize/decision', page), {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      cookie: cookies.join('; '),
      origin: page.origin,
    },
    body: new URLSearchParams({
      transaction: field('transaction'),
      csrf: field('csrf'),
      decision: 'approve',
      confirmed: 'yes',
      passphrase,
    }),
  })
  const location = decided.headers.get('location')
  if (location === null) throw new Error(`No redirect: ${decided.status}`)
  await fetch(location)
}
