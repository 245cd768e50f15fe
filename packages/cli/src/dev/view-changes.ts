/**
 * Tells the inspector at once which views were built, long before the Worker that has them is loaded again. `edgeway dev`
 * serves the address, for this computer alone; `edgeway views build`, which wrangler runs, posts the documents there;
 * `/inspect/view-changes` passes them to the page.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** The name of the address, in the environment of the build and among the variables of the Worker. */
export const VIEWS_VARIABLE = 'EDGEWAY_VIEWS'

/** The document of a view, at the address that its tool names. */
export interface ViewChange {
  readonly uri: string
  readonly html: string
}

/** @returns the address, which contains a secret */
export async function serveViewChanges(): Promise<string> {
  const path = `/${randomUUID()}`
  const documents = new Map<string, string>()
  const pages = new Set<ServerResponse>()
  const send = (page: ServerResponse, change: ViewChange) =>
    page.write(`data: ${JSON.stringify(change)}\n\n`)

  const accept = async (request: IncomingMessage) => {
    const changes = (await json(request)) as readonly ViewChange[]
    for (const change of changes) {
      if (documents.get(change.uri) === change.html) continue
      documents.set(change.uri, change.html)
      for (const page of pages) send(page, change)
    }
  }

  const server = createServer((request, response) => {
    if (request.url !== path) {
      response.writeHead(404).end()
    } else if (request.method === 'POST') {
      accept(request).then(
        () => response.writeHead(204).end(),
        () => response.writeHead(400).end(),
      )
    } else {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      pages.add(response)
      response.on('close', () => pages.delete(response))
      // A page whose Worker is loaded again comes back soon.
      response.write('retry: 200\n\n')
      for (const [uri, html] of documents) send(response, { uri, html })
    }
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
}

/** Posts what was built, where `edgeway dev` runs the build. */
export async function postViewChanges(changes: readonly ViewChange[]): Promise<void> {
  const url = process.env[VIEWS_VARIABLE]
  if (url === undefined) return
  try {
    await fetch(url, { method: 'POST', body: JSON.stringify(changes) })
  } catch {
    // The inspector reads the views when the Worker is loaded again.
  }
}
