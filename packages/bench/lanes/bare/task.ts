/**
 * The bare platform: a durable task as a Hono route and two objects of a few lines. The same requests to objects, tables,
 * rows and alarms as one of Edgeway's tasks, and nothing else.
 */
import { DurableObject, env } from 'cloudflare:workers'
import { Hono } from 'hono'

/** What the row of a task has of its request. */
interface Task {
  readonly name: string
  readonly owner: string
  readonly tool: string
  readonly request: string
}

const TTL_MS = 86_400_000
const HEARTBEAT_MS = 10_000

/** A shard of the list of tasks. */
export class BareList extends DurableObject {
  readonly #sql = this.ctx.storage.sql

  constructor(ctx: DurableObjectState, environment: Cloudflare.Env) {
    super(ctx, environment)
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS tasks (
         owner TEXT NOT NULL, task TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
         PRIMARY KEY (owner, task)
       ) STRICT, WITHOUT ROWID;
       CREATE INDEX IF NOT EXISTS tasks_by_expiry ON tasks (expires_at);`,
    )
  }

  enter(owner: string, task: string, createdAt: number): void {
    this.#sql.exec(
      'INSERT INTO tasks VALUES (?, ?, ?, ?)',
      owner,
      task,
      createdAt,
      createdAt + TTL_MS,
    )
  }
}

export class BareTask extends DurableObject {
  async start(task: Task): Promise<{ createdAt: number }> {
    const { sql } = this.ctx.storage
    const createdAt = Date.now()
    await MCP_LIST.getByName(`list-${task.owner.charCodeAt(0) % 16}`).enter(
      task.owner,
      task.name,
      createdAt,
    )
    sql.exec(
      `CREATE TABLE task (id INTEGER PRIMARY KEY, request TEXT, state TEXT NOT NULL, outcome TEXT,
         created_at INTEGER NOT NULL, ttl_ms INTEGER NOT NULL, version INTEGER NOT NULL DEFAULT 1
       ) STRICT`,
    )
    sql.exec(
      `INSERT INTO task (id, request, state, created_at, ttl_ms) VALUES (1, ?, 'running', ?, ?)`,
      task.request,
      createdAt,
      TTL_MS,
    )
    void this.ctx.storage.setAlarm(createdAt + HEARTBEAT_MS)
    if (task.tool === 'work') this.ctx.waitUntil(this.#work(createdAt))
    return { createdAt }
  }

  async #work(createdAt: number): Promise<void> {
    const { sql } = this.ctx.storage
    const step = 'INSERT OR REPLACE INTO journal VALUES (?, ?, ?)'
    sql.exec(
      'CREATE TABLE journal (key TEXT PRIMARY KEY, kind TEXT NOT NULL, value TEXT) STRICT, WITHOUT ROWID',
    )
    sql.exec(step, 'step-0', 'started', '0')
    const value = await Promise.resolve(0)
    sql.exec(step, 'step-0', 'step', String(value))
    const outcome = JSON.stringify({ content: [{ type: 'text', text: 'done' }] })
    sql.exec(`UPDATE task SET state = 'completed', outcome = ?, version = version + 1`, outcome)
    sql.exec('DELETE FROM journal')
    void this.ctx.storage.setAlarm(createdAt + TTL_MS)
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll()
  }
}

const { MCP_LIST, MCP_TASK } = env as {
  readonly MCP_LIST: DurableObjectNamespace<BareList>
  readonly MCP_TASK: DurableObjectNamespace<BareTask>
}

interface Message {
  readonly id: number
  readonly params: { readonly name: string }
}

const app = new Hono()
app.get('/', (c) => c.text('bare'))
app.post('/mcp', async (c) => {
  const message = await c.req.json<Message>()
  const { id, params } = message
  const name = crypto.randomUUID()
  const owner = (c.req.header('authorization') ?? '').slice('Bearer '.length)
  const task = { name, owner, tool: params.name, request: JSON.stringify(message) }
  const { createdAt } = await MCP_TASK.getByName(name).start(task)
  const created = new Date(createdAt).toISOString()
  const result = {
    taskId: name,
    status: 'working',
    createdAt: created,
    lastUpdatedAt: created,
    ttlMs: TTL_MS,
  }
  return c.json({ jsonrpc: '2.0', id, result: { resultType: 'task', ...result } })
})

export default app
