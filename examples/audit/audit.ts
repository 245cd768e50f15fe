/** A feature: an audit log in a Durable Object, which handlers write and auditors read by a method of the protocol. */
import { DurableObject } from 'cloudflare:workers'
import * as z from 'zod'
import { defineFeature, method } from '../../src/feature/index.ts'

export interface Env {
  readonly AUDIT_LOG: DurableObjectNamespace<AuditLog>
}

export class AuditLog extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#sql.exec(
      'CREATE TABLE IF NOT EXISTS log (number INTEGER PRIMARY KEY, at INTEGER, who TEXT, what TEXT) STRICT',
    )
  }

  record(who: string, what: string): void {
    this.#sql.exec('INSERT INTO log (at, who, what) VALUES (?, ?, ?)', Date.now(), who, what)
  }

  /** Newest first. */
  latest(count: number): { at: number; who: string; what: string }[] {
    const query = 'SELECT at, who, what FROM log ORDER BY number DESC LIMIT ?'
    return this.#sql.exec<{ at: number; who: string; what: string }>(query, count).toArray()
  }
}

const logOf = (env: unknown) => (env as Env).AUDIT_LOG.getByName('log')

export const audit = defineFeature({
  name: 'audit',
  extension: { id: 'com.example/audit', settings: { newestFirst: true } },
  context: (ctx) => ({
    record: (what: string) => logOf(ctx.env).record(ctx.auth?.subject ?? 'anonymous', what),
  }),
  methods: {
    'audit/list': method(
      {
        params: z.object({ count: z.number().int().min(1).max(100).default(20) }),
        scopes: ['audit'],
      },
      async ({ count }, ctx) => ({ entries: await logOf(ctx.env).latest(count) }),
    ),
  },
  objects: { AUDIT_LOG: AuditLog },
})
