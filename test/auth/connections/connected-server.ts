/** A server with a connection, an app that calls its tools, and a person with a browser. */
// features: connections
import type { EmbeddedOptions } from '../../../src/auth/index.ts'
import { connections } from '../../../src/features/connections/index.ts'
import type { FullOptions } from '../../support/full-app.ts'
import { FullServer } from '../../support/full-server.ts'
import { Browser, type Fields, formOf, type Page } from '../server/support/browser.ts'
import { AuthClient } from '../server/support/client.ts'
import {
  GUEST_PASSPHRASE,
  openDeployment,
  PASSPHRASE,
  RESOURCE,
} from '../server/support/deployment.ts'
import { connectionOf, returnFrom, SERVICE, startService } from './service.ts'

export interface Answer {
  readonly result: {
    readonly content: readonly { readonly text: string }[]
    readonly isError?: boolean
    readonly resultType?: string
    readonly requestState?: string
    readonly inputRequests?: Readonly<Record<string, { readonly params: { readonly url: string } }>>
    readonly tools?: readonly {
      readonly name: string
      readonly inputSchema: { readonly properties?: object }
    }[]
    readonly _meta?: Readonly<Record<string, unknown>>
  }
}

function createServer() {
  const server = new FullServer({ name: 'notes', version: '1.0.0' })
  for (const [name, annotations] of [
    ['act', { readOnlyHint: true }],
    ['act_write', {}],
  ] as const) {
    server.registerTool(name, { connection: 'example', annotations }, async (ctx) => {
      const { account, fetch } = await ctx.connect('example')
      const response = await fetch(`${SERVICE}/me`)
      const body = response.status === 200 ? await response.json() : null
      return JSON.stringify({ account, status: response.status, body })
    })
  }
  server.registerTool('act_more', {}, async (ctx) => {
    const { token } = await ctx.connect('example', {
      scopes: ['write'],
      reason: 'To change <b>things</b>',
    })
    return token()
  })
  server.registerTool('token', {}, async (ctx) => {
    const { account, token } = await ctx.connect('own')
    return JSON.stringify([account, await token()])
  })
  server.registerTool('elsewhere', {}, async (ctx) => {
    const { fetch } = await ctx.connect('example')
    const failed = await fetch('https://evil.example.org/').catch((error: Error) => error.message)
    const redirected = await fetch(`${SERVICE}/redirect`)
    return JSON.stringify([failed, redirected instanceof Response && redirected.status])
  })
  return server
}

/** What a modern client declares of itself in a request. */
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
}

interface ConnectedOptions {
  readonly max?: number | undefined
  readonly auth?: Partial<EmbeddedOptions>
  /** Connections beside those of the service. */
  readonly named?: Parameters<typeof connections>[0]
  readonly admin?: FullOptions['admin']
}

export class ConnectedServer {
  readonly service = startService()
  readonly server
  readonly #tokens = new Map<string, string>()
  readonly #clients = new Map<string, AuthClient>()

  constructor({ max, auth = {}, named = {}, admin }: ConnectedOptions = {}) {
    const all = {
      ...named,
      example: connectionOf(this.service),
      other: connectionOf(this.service, { name: 'Other' }),
    }
    const feature = connections(all, max === undefined ? {} : { max })
    this.server = openDeployment(auth, {
      server: createServer(),
      app: { connections: feature, ...(admin && { admin }) },
    })
  }

  /** An app of a person: each name is another client. */
  async token(app: string, passphrase: string = PASSPHRASE): Promise<string> {
    const key = `${app} ${passphrase}`
    const known = this.#tokens.get(key)
    if (known !== undefined) return known
    const client = await AuthClient.register(this.server, { client_name: app })
    const { access } = await client.tokens({}, passphrase)
    this.#tokens.set(key, access)
    this.#clients.set(app, client)
    return access
  }

  /** The token of an app that connects again, as the same client. */
  async tokenAgain(app: string): Promise<string | undefined> {
    return (await this.#clients.get(app)?.tokens())?.access
  }

  async send(
    method: string,
    params: object,
    { token = '', capabilities = {} } = {},
  ): Promise<Answer> {
    const name = (params as { readonly name?: string }).name
    const response = await this.server.fetch(RESOURCE, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token || (await this.token('App A'))}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(name !== undefined && { 'mcp-name': name }),
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method },
        params: {
          ...params,
          _meta: { ...META, 'io.modelcontextprotocol/clientCapabilities': capabilities },
        },
      }),
    })
    const text = await response.text()
    const [, data = text] = /^data: (\{.*)$/m.exec(text) ?? []
    return JSON.parse(data)
  }

  call(name = 'act', args: object = {}, token?: string): Promise<Answer> {
    return this.send('tools/call', { name, arguments: args }, token === undefined ? {} : { token })
  }

  async browser(passphrase: string = PASSPHRASE): Promise<Browser> {
    const browser = new Browser(this.server)
    await browser.signIn(passphrase)
    return browser
  }

  /** Answers the page of a call. */
  async answer(browser: Browser, path: string, fields: Fields = { do: 'connect' }): Promise<Page> {
    const page = await browser.get(path)
    return browser.post(path, { csrf: formOf(page).csrf, ...fields })
  }

  /** Connects the account that signs in at the service next. */
  async connect(account = 'ada', name = 'act', token?: string, browser?: Browser): Promise<Page> {
    const by = browser ?? (await this.browser())
    this.service.account = account
    const asked = await this.call(name, {}, token)
    const sent = await this.answer(by, pathIn(asked))
    const page = await by.get(returnFrom(this.service, sent.location))
    return page.location === null ? page : by.get(page.location)
  }

  /** Connects another account through the app B, whose page offers the accounts that are there. */
  guest(): Promise<string> {
    return this.token('App A', GUEST_PASSPHRASE)
  }
}

export const textOf = (answer: Answer): string => answer.result.content[0]?.text ?? ''

/** The path of the page in the text of an answer; empty where there is none. */
export const pathIn = (answer: Answer): string =>
  /https:\/\/mcp\.example\.com(\/connect\?at=[\w.-]+)/.exec(textOf(answer))?.[1] ?? ''

export const usedIn = (answer: Answer) => JSON.parse(textOf(answer))
