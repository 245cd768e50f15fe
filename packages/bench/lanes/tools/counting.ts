/**
 * Counts what the platform bills: requests to objects, alarms, messages that Workers send to objects,
 * and rows. The counts are those of the isolate; `GET /counts` returns them and starts anew.
 */
import type { EdgewayObjectClass } from '../../../../src/index.ts'

const counts = { objectRequests: 0, alarms: 0, messages: 0, rowsRead: 0, rowsWritten: 0 }

/** Rows are known when a statement has been read to its end. */
const cursors = new Set<SqlStorageCursor<Record<string, SqlStorageValue>>>()

let isCounting = false

/** Counts the statements, the keys and the alarms of all objects of this isolate. */
function countRows({ storage }: DurableObjectState): void {
  if (isCounting) return
  isCounting = true
  wrap(Object.getPrototypeOf(storage.sql), 'exec', (_, cursor) => {
    cursors.add(cursor as SqlStorageCursor<Record<string, SqlStorageValue>>)
  })
  const keys = Object.getPrototypeOf(storage)
  // An alarm is billed as one written row, and so is each key.
  wrap(keys, 'setAlarm', () => counts.rowsWritten++)
  wrap(keys, 'put', ([entries]) => {
    counts.rowsWritten += typeof entries === 'object' ? Object.keys(entries ?? {}).length : 1
  })
  wrap(keys, 'delete', ([names]) => {
    counts.rowsWritten += Array.isArray(names) ? names.length : 1
  })
  wrap(keys, 'get', ([names]) => {
    counts.rowsRead += Array.isArray(names) ? names.length : 1
  })
  wrap(keys, 'list', async (_, entries) => {
    counts.rowsRead += ((await entries) as Map<string, unknown>).size
  })
}

type Method = (this: object, ...args: unknown[]) => unknown

/** Calls back with the arguments and the result of each call of a method. */
function wrap(
  prototype: Record<string, Method>,
  name: string,
  onCall: (args: readonly unknown[], result: unknown) => unknown,
): void {
  const method = prototype[name]
  if (method === undefined) throw new Error(`The storage has no method ${name}`)
  prototype[name] = function (...args) {
    const result = method.apply(this, args)
    onCall(args, result)
    return result
  }
}

/** Each environment once: Edgeway keeps its keys and services by environment. */
const environments = new WeakMap<object, Cloudflare.Env>()

/** The environment, whose objects count their calls. */
export function countedEnv(env: object): Cloudflare.Env {
  const known = environments.get(env)
  if (known !== undefined) return known
  const bindings = Object.entries(env).map(([name, binding]) => [
    name,
    typeof binding?.getByName === 'function' ? countedNamespace(binding) : binding,
  ])
  const created: Cloudflare.Env = Object.fromEntries(bindings)
  environments.set(env, created)
  return created
}

function countedNamespace(namespace: DurableObjectNamespace): DurableObjectNamespace {
  return withMethods(namespace, (name, result) =>
    name === 'get' || name === 'getByName' ? countedStub(result as object) : result,
  )
}

/** Every call of a stub is one request. */
function countedStub(stub: object): object {
  return withMethods(stub, (name, result) => {
    counts.objectRequests++
    return name === 'fetch' ? countMessages(result as Promise<Response>) : result
  })
}

/** Counts what the caller sends on the WebSocket of a response. */
async function countMessages(opening: Promise<Response>): Promise<Response> {
  const response = await opening
  const { webSocket } = response
  if (webSocket !== null) {
    const send = webSocket.send.bind(webSocket)
    webSocket.send = (message) => {
      counts.messages++
      send(message)
    }
  }
  return response
}

/** An object whose methods return what `of` makes of their results. */
function withMethods<T extends object>(
  target: T,
  of: (name: string | symbol, result: unknown) => unknown,
): T {
  return new Proxy(target, {
    get: (_, name) => {
      const member = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: readonly unknown[]) => of(name, Reflect.apply(member, target, args))
    },
  })
}

export function countedClass(Base: EdgewayObjectClass): EdgewayObjectClass {
  return class extends Base {
    constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
      countRows(ctx)
      super(ctx, countedEnv(env))
    }

    override alarm(info?: AlarmInvocationInfo) {
      counts.alarms++
      counts.objectRequests++
      return super.alarm?.(info)
    }
  }
}

export interface CountedWorker {
  fetch(request: Request, env: Cloudflare.Env, ctx: ExecutionContext): Promise<Response> | Response
}

export function countedWorker(worker: CountedWorker): CountedWorker {
  return {
    fetch: (request, env, ctx) =>
      new URL(request.url).pathname === '/counts'
        ? Response.json(takeCounts())
        : worker.fetch(request, countedEnv(env), ctx),
  }
}

function takeCounts() {
  for (const { rowsRead, rowsWritten } of cursors) {
    counts.rowsRead += rowsRead
    counts.rowsWritten += rowsWritten
  }
  cursors.clear()
  const taken = { ...counts }
  for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] = 0
  return taken
}
