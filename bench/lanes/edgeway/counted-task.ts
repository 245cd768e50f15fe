/**
 * The server of `task.ts`, counting what the platform bills: requests to objects, alarms, and rows. The
 * counts are those of the isolate; `GET /counts` returns them.
 */
import type { EdgewayObjectClass } from '../../../src/index.ts'
import { edgeway } from './task.ts'

type Class = EdgewayObjectClass

const counts = { objectRequests: 0, alarms: 0, rowsRead: 0, rowsWritten: 0 }

/** Rows are known when a statement has been read to its end. */
const cursors = new Set<SqlStorageCursor<Record<string, SqlStorageValue>>>()

let isCounting = false

/** Counts the statements and the alarms that all objects of this isolate set. */
function countRows({ storage }: DurableObjectState): void {
  if (isCounting) return
  isCounting = true
  const sql = Object.getPrototypeOf(storage.sql)
  const { exec } = sql
  sql.exec = function (this: SqlStorage, ...args: Parameters<SqlStorage['exec']>) {
    const cursor = exec.apply(this, args)
    cursors.add(cursor)
    return cursor
  }
  const { setAlarm } = Object.getPrototypeOf(storage)
  Object.getPrototypeOf(storage).setAlarm = function (
    this: DurableObjectStorage,
    ...args: Parameters<DurableObjectStorage['setAlarm']>
  ) {
    // An alarm is billed as one written row.
    counts.rowsWritten++
    return setAlarm.apply(this, args)
  }
}

/** Each environment once: Edgeway keeps its keys and services by environment. */
const environments = new WeakMap<object, Cloudflare.Env>()

/** The environment, whose objects count their calls. */
function counted(env: object): Cloudflare.Env {
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

function countedNamespace(namespace: DurableObjectNamespace) {
  const counting = <T extends object>(stub: T): T =>
    new Proxy(stub, {
      get: (target, method) => {
        const call = Reflect.get(target, method)
        if (typeof call !== 'function') return call
        return (...args: readonly unknown[]) => {
          counts.objectRequests++
          return Reflect.apply(call, target, args)
        }
      },
    })
  return { getByName: (name: string) => counting(namespace.getByName(name)) }
}

function countedClass(Base: Class): Class {
  return class extends Base {
    constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
      countRows(ctx)
      super(ctx, counted(env))
    }

    override alarm(info?: AlarmInvocationInfo) {
      counts.alarms++
      counts.objectRequests++
      return super.alarm?.(info)
    }
  }
}

function take() {
  for (const { rowsRead, rowsWritten } of cursors) {
    counts.rowsRead += rowsRead
    counts.rowsWritten += rowsWritten
  }
  cursors.clear()
  const taken = { ...counts }
  for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] = 0
  return taken
}

export const McpTask = countedClass(edgeway.objects.McpTask)
export const McpKeyring = countedClass(edgeway.objects.McpKeyring)

export default {
  async fetch(request: Request, env: Cloudflare.Env, ctx: ExecutionContext): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/counts') return Response.json(take())
    if (pathname !== '/deliver') return edgeway.fetch(request, counted(env), ctx)
    await edgeway.tasks(counted(env)).deliver(await request.text(), 'event', 1)
    return new Response()
  },
}
