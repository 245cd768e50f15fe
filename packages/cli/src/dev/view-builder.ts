/**
 * Builds views while `edgeway dev` serves, in a process that has loaded the bundler: as soon as a file changes, and when
 * `edgeway views build` asks for it, which wrangler runs. `/inspect/view-changes` passes the documents to the page, before
 * the Worker that contains them is loaded.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, watch } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BuildReport, buildWithReport, type ViewsToBuild } from '../views/build-report.ts'
import type { BuiltView } from '../views/build-view.ts'
import { uriOf } from '../views/views-module.ts'

/** The name of the address, in the environment of the build and among the variables of the Worker. */
export const VIEWS_VARIABLE = 'EDGEWAY_VIEWS'

/** Editors write several files, or one in several steps. */
const SETTLE_MS = 20

/** @returns the address, for this computer alone. It contains a secret */
export async function serveViewBuilder(): Promise<string> {
  const path = `/${randomUUID()}`
  const builder = new ViewBuilder()
  const server = createServer((request, response) => {
    if (request.url !== path) response.writeHead(404).end()
    else if (request.method === 'GET') builder.addPage(response)
    else void answer(builder, request, response)
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
}

/** Lets `edgeway dev` build, where it runs this program. @returns undefined where it does not */
export async function buildInDevelopment(views: ViewsToBuild): Promise<BuildReport | undefined> {
  const url = process.env[VIEWS_VARIABLE]
  if (url === undefined) return undefined
  try {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(views) })
    return response.ok ? ((await response.json()) as BuildReport) : undefined
  } catch {
    // It has ended.
    return undefined
  }
}

async function answer(
  builder: ViewBuilder,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const report = await builder.build((await json(request)) as ViewsToBuild)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(report))
  } catch {
    // The program that asked builds by itself, and meets the same error.
    response.writeHead(500).end()
  }
}

class ViewBuilder {
  /** By address. */
  readonly #documents = new Map<string, string>()
  readonly #pages = new Set<ServerResponse>()
  readonly #watched = new Set<string>()
  #last: Promise<unknown> = Promise.resolve()

  addPage(page: ServerResponse): void {
    page.writeHead(200, { 'content-type': 'text/event-stream' })
    // A page whose Worker is loaded again comes back soon.
    page.write('retry: 200\n\n')
    for (const [uri, html] of this.#documents) sendDocument(page, uri, html)
    this.#pages.add(page)
    page.on('close', () => this.#pages.delete(page))
  }

  /** One after the other, because they write one file. */
  build(views: ViewsToBuild): Promise<BuildReport> {
    this.#watch(views)
    const report = this.#last.then(() => buildWithReport(views, (built) => this.#publish(built)))
    this.#last = report.catch(() => undefined)
    return report
  }

  #publish(views: readonly BuiltView[]): void {
    for (const view of views) {
      const uri = uriOf(view)
      if (this.#documents.get(uri) === view.html) continue
      this.#documents.set(uri, view.html)
      for (const page of this.#pages) sendDocument(page, uri, view.html)
    }
  }

  #watch(views: ViewsToBuild): void {
    const { folder } = views
    // The build says what is missing.
    if (this.#watched.has(folder) || !existsSync(folder)) return
    this.#watched.add(folder)
    let isChanging = false
    const rebuild = async () => {
      if (isChanging) return
      isChanging = true
      await sleep(SETTLE_MS)
      isChanging = false
      // What prevents it is said by the program that wrangler runs.
      await this.build(views).catch(() => undefined)
    }
    watch(folder, { recursive: true }, rebuild)
      // wrangler watches it too, and asks for the build.
      .on('error', () => undefined)
      .unref()
  }
}

const sendDocument = (page: ServerResponse, uri: string, html: string) =>
  page.write(`data: ${JSON.stringify({ uri, html })}\n\n`)
