/** The class of the objects of all apps of the tests: those of the Worker, and those that a test has opened. */
import { HostedObject } from '../../durable-objects/hosted-object.ts'
import { createObjectsClass, serversOf } from '../../durable-objects/objects-class.ts'
import type { Edgeway } from '../../src/index.ts'
import { audienceDigest, readObjectName } from '../../src/ports/object-kinds.ts'
import type { ServerObjects } from '../../src/ports/objects.ts'

/** By the digest of their audience. */
const opened = new Map<string, ServerObjects>()

/**
 * Objects that start from now on are those of this app, where no app of the Worker has its audience.
 *
 * @param parts in place of its own
 */
export function openObjectsOf<Opened extends Pick<Edgeway, 'Objects'>>(
  app: Opened,
  parts: ServerObjects['parts'] = {},
): Opened {
  for (const server of serversOf(app.Objects)) {
    openServer({ ...server, parts: { ...server.parts, ...parts } })
  }
  return app
}

/** The parts of an app by kind. */
export const partsOf = ({ Objects }: Pick<Edgeway, 'Objects'>): ServerObjects['parts'] =>
  Object.assign({}, ...serversOf(Objects).map(({ parts }) => parts))

export function openServer(server: ServerObjects): void {
  opened.set(audienceDigest(server.audience), server)
}

/** @param servers of the Worker. The first one has the parts that all share */
export function createTestClass(servers: readonly ServerObjects[]) {
  const digests = new Set(servers.map(({ audience }) => audienceDigest(audience)))
  const common = createObjectsClass(servers, HostedObject)
  const classOf = ({ id }: DurableObjectState) => {
    const digest = readObjectName(id.name)?.server
    const found = digest === undefined || digests.has(digest) ? undefined : opened.get(digest)
    return found === undefined ? common : createObjectsClass([found], HostedObject)
  }
  return new Proxy(common, { construct: (_, args) => Reflect.construct(classOf(args[0]), args) })
}
