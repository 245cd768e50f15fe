/** The resources of the server, and its subscriptions. */
import {
  type CompleteResourceTemplateCallback,
  type McpServer,
  type RegisteredResource,
  type Resource,
  type ResourceLink,
  ResourceTemplate,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '../../../../src/index.ts'

export const KINDS: string[] = ['Text', 'Blob']
export const uriOf = (kind: string, id: number) =>
  new URL(`demo://resource/${kind.toLowerCase()}/${id}`)
export const textResource = (uri: URL, id: number) => ({
  uri: uri.toString(),
  mimeType: 'text/plain',
  text: `Text ${id}`,
})
export const blobResource = (uri: URL, id: number) => ({
  uri: uri.toString(),
  mimeType: 'text/plain',
  blob: btoa(`Blob ${id}`),
})
export const completeId: CompleteResourceTemplateCallback = (value: string) =>
  Number.isInteger(Number(value)) && Number(value) > 0 ? [value] : []

function parseId(uri: URL, variables: Record<string, unknown>): number {
  const id = Number(String(variables.id ?? ''))
  if (!Number.isInteger(id) || id < 1) throw new Error(`Unknown resource: ${uri.toString()}`)
  return id
}

export function registerResources(server: McpServer) {
  server.registerResource(
    'Dynamic Text Resource',
    new ResourceTemplate('demo://resource/text/{id}', {
      list: undefined,
      complete: { id: completeId },
    }),
    { mimeType: 'text/plain', description: 'A text for an id.' },
    async (uri, variables) => ({ contents: [textResource(uri, parseId(uri, variables))] }),
  )
  server.registerResource(
    'Dynamic Blob Resource',
    new ResourceTemplate('demo://resource/blob/{id}', {
      list: undefined,
      complete: { id: completeId },
    }),
    { mimeType: 'application/octet-stream', description: 'Bytes for an id.' },
    async (uri, variables) => ({ contents: [blobResource(uri, parseId(uri, variables))] }),
  )
  for (const name of ['features.md', 'how it works.md']) {
    const uri = `demo://resource/static/${encodeURIComponent(name)}`
    server.registerResource(name, uri, { mimeType: 'text/markdown' }, async (url) => ({
      contents: [{ uri: url.toString(), mimeType: 'text/markdown', text: `# ${name}` }],
    }))
  }
}

const sessionResources = new Map<string, RegisteredResource>()

export function registerSessionResource(
  server: McpServer,
  resource: Resource,
  payload: string,
): ResourceLink {
  const { uri, name, mimeType, description, title, annotations, icons, _meta } = resource
  sessionResources.get(uri)?.remove()
  const config = { mimeType, description, title, annotations, icons, _meta }
  const registered = server.registerResource(name, uri, config, async () => ({
    contents: [{ uri, mimeType, blob: payload }],
  }))
  sessionResources.set(uri, registered)
  return { type: 'resource_link', ...resource }
}

export const subscriptions = new Map<string, Set<string | undefined>>()

export function setSubscriptionHandlers(server: McpServer) {
  server.server.setRequestHandler(SubscribeRequestSchema, async (request, extra) => {
    const { uri } = request.params
    const sessionId = extra.sessionId as string
    await server.sendLoggingMessage({ level: 'info', data: `Subscribe ${uri}` }, sessionId)
    const subscribers = subscriptions.get(uri) ?? new Set<string>()
    subscribers.add(sessionId)
    subscriptions.set(uri, subscribers)
    return {}
  })
  server.server.setRequestHandler(UnsubscribeRequestSchema, async (request, extra) => {
    subscriptions.get(request.params.uri)?.delete(extra.sessionId)
    return {}
  })
}

export async function sendResourceUpdates(server: McpServer, sessionId: string | undefined) {
  for (const [uri, subscribers] of subscriptions) {
    if (!subscribers.has(sessionId)) continue
    await server.server.notification({ method: 'notifications/resources/updated', params: { uri } })
  }
}
