/** The class of the objects of all apps of the tests: those of the Worker, and those that a test has opened. */
import {
  createObjectsClass,
  SERVER_OBJECTS,
  type ServerObjects,
} from '../../durable-objects/objects-class.ts'
import type { Edgeway } from '../../src/index.ts'
import { audienceDigest, readObjectName } from '../../src/ports/object-kinds.ts'

/** By the digest of their audience. */
const opened = new Map<string, ServerObjects>()

/**
 * Objects that start from now on are those of this app, where no app of the Worker has its audience.
 *
 * @param parts in place of its own
 */
export function openObjectsOf<Opened extends Pick<Edgeway, typeof SERVER_OBJECTS>>(
  app: Opened,
  parts: ServerObjects['parts'] = {},
): Opened {
  const { [SERVER_OBJECTS]: objects } = app
  const all = { ...objects, parts: { ...objects.parts, ...parts } }
  opened.set(audienceDigest(objects.audience), all)
  return app
}

/** @param servers of the Worker. The first one has the parts that all share */
export function createTestClass(servers: readonly ServerObjects[]) {
  const digests = new Set(servers.map(({ audience }) => audienceDigest(audience)))
  const common = createObjectsClass(servers)
  const classOf = ({ id }: DurableObjectState) => {
    const digest = readObjectName(id.name)?.server
    const found = digest === undefined || digests.has(digest) ? undefined : opened.get(digest)
    return found === undefined ? common : createObjectsClass([found])
  }
  return new Proxy(common, { construct: (_, args) => Reflect.construct(classOf(args[0]), args) })
}
