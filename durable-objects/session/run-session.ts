/** The session as the handler of one run can change it. */
import type { CallSession } from '../../src/dispatch/call-session.ts'
import type { SessionParts } from './session-parts.ts'
import type { SessionRun } from './session-run.ts'

export function createRunSession(run: SessionRun, parts: SessionParts): CallSession {
  const { runs, logs, client, entries, subscriptions, tasks } = parts
  const { auth } = run
  /** Sets the alarm that deletes what is written here with the session. */
  const scheduleExpiry = () => {
    parts.lifetime.wakeAt(client.claims.expiresAt)
    parts.presence.settingsStored()
  }
  return {
    id: run.request.sessionId,
    get follower() {
      return { claims: client.claims, subject: auth?.subject }
    },
    followTask: async (task) => tasks?.follow(task, auth?.subject),
    setLogLevel: (level) => {
      client.setLogLevel(level)
      scheduleExpiry()
    },
    get state() {
      return client.state
    },
    setState: (state) => {
      client.setState(state)
      scheduleExpiry()
    },
    entries: {
      read: async (name) => entries.read(name),
      write: async (name, write) => {
        client.persist()
        const written = entries.write(name, write)
        scheduleExpiry()
        return written
      },
      delete: async (name, operation) => entries.delete(name, operation),
    },
    subscribe: async (uri) => {
      await subscriptions.subscribe(uri, auth?.subject)
      scheduleExpiry()
    },
    unsubscribe: (uri) => subscriptions.unsubscribe(uri),
    expectElicitations: async (ids) => {
      if (await subscriptions.expectElicitations(ids, auth?.subject)) scheduleExpiry()
    },
    closeStream: () => {
      const { delivery } = run
      const { polling } = client.revision.features
      if (!polling || !delivery.mayStream || delivery.kind !== 'answer') return
      runs.open(delivery)
      logs.closeConnection(delivery.stream)
    },
  }
}
