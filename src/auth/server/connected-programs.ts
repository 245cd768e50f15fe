/** The connected apps of a person: the clients of one name and host, with what they may do. */
import type { GrantSummary } from '../../ports/grant.ts'
import type { ConnectedApp } from '../pages/views.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { describeScopes } from './show-consent.ts'

/** What a person knows as one app: the clients of one name and host. */
export interface Program {
  readonly key: string
  readonly name: string
  readonly host: string | undefined
  /** The grants of each client, newest first. */
  readonly clients: ReadonlyMap<string, readonly GrantSummary[]>
}

/** A program that registers at each connection is another client each time, with the same name. */
export function programsOf(grants: readonly GrantSummary[]): readonly Program[] {
  const clients = [...Map.groupBy(grants, ({ client }) => client.id)]
  const identityOf = ([id, all]: (typeof clients)[number]) => {
    // The page shows the identity of the newest grant whose code is redeemed.
    const { client } = all.find(({ isPending }) => isPending !== true) ?? all[0] ?? {}
    return [client?.name ?? id, client?.uri] as const
  }
  const keyOf = (each: (typeof clients)[number]) => JSON.stringify(identityOf(each))
  return [...Map.groupBy(clients, keyOf)].map(([key, own]) => {
    const [name, host] = identityOf(own[0] ?? ['', []])
    return { key, name, host, clients: new Map(own) }
  })
}

export function describeProgram(
  server: AuthorizationServer,
  { key, name, host, clients }: Program,
): ConnectedApp {
  const all = [...clients.values()].flat()
  return {
    program: key,
    name,
    host,
    access: [...Map.groupBy(all, ({ resource }) => resource).values()]
      .map((grants) => grants.reduce(merge))
      .map(({ resource, scopes, createdAt, lastUsedAt }) => ({
        ...{ resource, createdAt, lastUsedAt },
        administers: server.administers(resource),
        scopes: describeScopes(server, scopes),
      })),
    connections: [...clients].map(([clientId, grants]) => ({
      clientId,
      ...grants.reduce(merge),
      resources: [...new Set(grants.map(({ resource }) => resource))],
    })),
  }
}

/** Merges two grants of one program, because a person knows them as one app. */
function merge(newer: GrantSummary, older: GrantSummary): GrantSummary {
  return {
    ...newer,
    scopes: [...new Set([...newer.scopes, ...older.scopes])],
    createdAt: Math.min(newer.createdAt, older.createdAt),
    lastUsedAt: Math.max(newer.lastUsedAt, older.lastUsedAt),
  }
}
