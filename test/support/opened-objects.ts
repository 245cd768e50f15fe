/** The class of the objects of all apps of the tests: those of the Worker, and those that a test has opened. */
import { createObjectsClass, SERVER_OBJECTS, type ServerObjects } from '../../durable-objects/objects-class.ts'
import { audienceDigest, readObjectName } from '../../src/ports/object-kinds.ts'
import type { Edgeway } from '../../src/index.ts'

type App = Pick<Edgeway, typeof SERVER_OBJECTS>

/** By the digest of their audience. */
const opened = new Map<string, App>()

/** Objects that start from now on are those of this app, where no app of the Worker has its audience. */
export function openObjectsOf<Opened extends App>(app: Opened): Opened {
  opened.set(audienceDigest(app[SERVER_OBJECTS].audience), app)
  return app
}

/** @param servers of the Worker. The first one has the parts that all share */
export function createTestClass(servers: readonly ServerObjects[]) {
  const digests = new Set(servers.map(({ audience }) => audienceDigest(audience)))
  const common = createObjectsClass(servers)
  const classOf = ({ id }: DurableObjectState) => {
    const digest = readObjectName(id.name)?.server
    const app = digest === undefined || digests.has(digest) ? undefined : opened.get(digest)
    return app === undefined ? common : createObjectsClass([app[SERVER_OBJECTS]])
  }
  return new Proxy(common, { construct: (_, args) => Reflect.construct(classOf(args[0]), args) })
}
