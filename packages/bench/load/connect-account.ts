/** Connects an account, as the person does who opens the address that a call names. */
import { openBrowser } from '../../../test/clients/auth/browser.ts'
import type { LoadRequest } from './request.ts'

/** @throws {Error} when the call names no address, or the page refuses the key */
export async function connectAccount(url: string, call: LoadRequest): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...call.headers },
    body: call.body,
  })
  const text = await response.text()
  const [address] = /http:[^ "]*\/connect\?at=[\w.-]+/.exec(text) ?? []
  if (address === undefined) throw new Error(`The call names no address: ${text.slice(0, 400)}`)
  const browser = openBrowser()
  const signIn = await browser.open(new URL(address))
  await browser.submit(signIn, actionIn(signIn.html, '/login'), {})
  const page = await browser.open(new URL(address))
  const [, account] = /name="account" value="([^"]*)"/.exec(page.html) ?? []
  const answer = account === undefined ? { do: 'connect', api_key: 'key' } : { account }
  const { status } = await browser.submit(page, actionIn(page.html, '/connect'), answer)
  // To the page that says what was connected.
  if (status !== 303) throw new Error(`The page answers ${status}`)
}

const actionIn = (html: string, path: string): string =>
  new RegExp(`action="(${path}[^"]*)"`).exec(html)?.[1] ?? path
