/** The inventory of what two versions of Edgeway exchange or keep: complete, and equal to the code. */
// features: all
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Setting } from '../durable-objects/session/row-keys.ts'
import { CloseCode, ReadRefusalStatus } from '../durable-objects/session/stream-wire.ts'
import { COOKIE } from '../src/auth/server/cookies.ts'
import { CHANGE_KINDS } from '../src/ports/change-kinds.ts'
import { KINDS, type Kind } from '../src/ports/object-kinds.ts'
import { SEAL_PURPOSES } from '../src/ports/sealer.ts'
import { STREAM_KINDS } from '../src/ports/sessions.ts'

const ROOT = resolve(import.meta.dirname, '..')
const sourceOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const INVENTORY = sourceOf('docs/reference/formats.md')

/** The module with the tables of each kind. The kind `place` stores one word without tables. */
const SCHEMAS: Readonly<Record<Exclude<Kind, 'place'>, string>> = {
  session: 'durable-objects/session/schema',
  task: 'durable-objects/task/schema',
  state: 'durable-objects/state/schema',
  account: 'durable-objects/account/schema',
  throttle: 'durable-objects/account/throttle-schema',
  documents: 'durable-objects/account/documents-schema',
  hub: 'durable-objects/hub/schema',
  keyring: 'durable-objects/keyring/schema',
  redeemed: 'durable-objects/keyring/redeemed-object',
  principals: 'durable-objects/keyring/principals-schema',
  timeline: 'packages/inspector/src/objects/log/schema',
  traffic: 'packages/inspector/src/objects/log/schema',
  log: 'packages/events/src/objects/log/schema',
  subscriber: 'packages/events/src/objects/subscriber/schema',
  connections: 'durable-objects/connections/schema',
}

/** Kinds with the tables of another one. */
const SAME_TABLES: Readonly<Record<string, Kind>> = {
  traffic: 'timeline',
}

function sectionUnder(heading: string): string {
  const [, section = ''] = INVENTORY.split(`\n## ${heading}\n`)
  return section.split('\n## ')[0] ?? ''
}

/** The rows of the tables under a heading, as cells without code marks. */
function rowsUnder(heading: string): string[][] {
  return sectionUnder(heading)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
    .map((line) => line.slice(2, -2).split(' | '))
    .map((cells) => cells.map((cell) => cell.trim().replaceAll('`', '')))
}

/** The first cells under the header cell `first`, up to the next table. */
function namesIn(heading: string, first: string): string[] {
  const rows = rowsUnder(heading).map(([name = '']) => name)
  const names = rows.slice(rows.indexOf(first) + 1)
  const next = sectionUnder(heading)
    .split('\n')
    .flatMap((line, index, lines) => (lines[index + 1]?.startsWith('| ---') ? [line] : []))
    .map((line) => line.slice(2).split(' | ')[0]?.replaceAll('`', ''))
  const end = names.findIndex((name) => next.includes(name))
  return end === -1 ? names : names.slice(0, end)
}

const filesIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))

const INSPECTOR = 'packages/inspector/src/objects'

/** The source of the packages. */
const PACKAGES = filesIn('packages').filter((file) => /^packages\/[^/]+\/src\//.test(file))

/** The files of all objects. */
const OBJECTS = ['durable-objects', INSPECTOR, 'packages/events/src/objects'].flatMap(filesIn)

/** The first groups of all matches in a source file. */
function allIn(file: string, pattern: RegExp): string[] {
  return [...sourceOf(file).matchAll(pattern)].map(([, found = '']) => found)
}

/** The part of a source file between two texts. */
function between(file: string, start: string, end: string): string {
  const [, rest = ''] = sourceOf(file).split(start)
  return rest.split(end)[0] ?? ''
}

interface Schema {
  readonly MIGRATIONS: readonly string[]
  /** Tables that their first row creates. */
  readonly OPTIONAL_TABLES?: Readonly<Record<string, string>>
}

const moduleOf = (file: string) => `${file}.ts`

const schemas: ReadonlyMap<string, Schema> = new Map(
  await Promise.all(
    Object.entries(SCHEMAS).map(
      async ([kind, file]) => [kind, await import(`../${moduleOf(file)}`)] as const,
    ),
  ),
)

/** The SQL texts of the migrations of a kind. */
function migrationsOf(name: string): readonly string[] {
  return schemas.get(name)?.MIGRATIONS ?? []
}

/** The methods of an interface or a class, each with the names of its parameters. */
function methodsIn(body: string): string[] {
  const method = /^ {2}(?:async )?([a-zA-Z]\w*)\(([^)]*)\)\s*(?::|\{)/gm
  return [...body.matchAll(method)].map(([, name, parameters = '']) => {
    // A parameter that is not used any more begins with an underscore.
    const names = parameters.split(',').map((each) => each.split(':')[0]?.trim().replace(/^_/, ''))
    return `${name}(${names.filter((each) => each !== '').join(', ')})`
  })
}

/** Called by the platform, not by a Worker. */
const PLATFORM_METHODS = /^(?:constructor|fetch|alarm|webSocket\w+)\(/

const methodsOfClass = (file: string, name: string) =>
  methodsIn(between(file, `export class ${name}`, '\n}\n')).filter(
    (called) => !PLATFORM_METHODS.test(called),
  )

const methodsOfPort = (file: string, name: string) =>
  methodsIn(between(file, `export interface ${name}`, '\n}\n'))

describe('docs/reference/formats.md', () => {
  it('names every sealed purpose with its version', () => {
    expect(namesIn('Sealed values', 'purpose')).toEqual([...SEAL_PURPOSES])
  })

  it('names the files that seal and open each purpose', () => {
    const users = [...filesIn('src'), ...filesIn('durable-objects'), ...PACKAGES].filter((file) =>
      SEAL_PURPOSES.some((purpose) => sourceOf(file).includes(`'${purpose}'`)),
    )
    for (const [purpose, , , , files = ''] of rowsUnder('Sealed values').slice(1)) {
      const named = files.split(', ').sort()
      const using = users.filter(
        (file) => file !== 'src/ports/sealer.ts' && sourceOf(file).includes(`'${purpose}'`),
      )
      expect({ purpose, files: named }).toEqual({ purpose, files: using.sort() })
    }
  })

  it('names the rows of every kind with their version', () => {
    const rows = rowsUnder('Rows').slice(1)
    const listed = rows.map(([kind, version, tables]) => [kind, version, tables])
    const actual = Object.keys(SCHEMAS).map((kind) => {
      const migrations = migrationsOf(kind)
      const created = migrations.join('\n').matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g)
      const optional = Object.keys(schemas.get(kind)?.OPTIONAL_TABLES ?? {})
      const tables = new Set([...[...created].map(([, table]) => table), ...optional])
      const same = SAME_TABLES[kind]
      return [kind, String(migrations.length), same ? `as ${same}` : [...tables].join(', ')]
    })
    expect(listed).toEqual(actual)
  })

  it('names every file of the objects that has tables', () => {
    const files = OBJECTS.filter((file) =>
      /CREATE TABLE (?!IF NOT EXISTS migrations|\$\{)/.test(sourceOf(file)),
    )
    // State objects and session objects have the same table of entries.
    const named = [...Object.values(SCHEMAS), 'durable-objects/entries/schema']
    expect(files.sort()).toEqual([...new Set(named)].map(moduleOf).sort())
  })

  it('names every kind that can be in the name of an object', () => {
    const named = [...sectionUnder('Names').matchAll(/`([a-z]+)`/g)].map(([, name]) => name)
    expect(KINDS.filter((kind) => !named.includes(kind))).toEqual([])
  })

  it('names every setting of a session', () => {
    expect(namesIn('Settings of a session', 'name')).toEqual(Object.values(Setting))
  })

  it('names every file of the objects that parses JSON', () => {
    const parsers = OBJECTS.filter((file) => sourceOf(file).includes('JSON.parse('))
    // The messages on sockets have sections of their own.
    const codec = 'durable-objects/stream-codec.ts'
    const unnamed = parsers.filter(
      (file) => !sectionUnder('JSON in rows').includes(file) && file !== codec,
    )
    expect(unnamed).toEqual([])
  })

  it('names every cookie', () => {
    expect(namesIn('Cookies', 'name')).toEqual(Object.values(COOKIE))
  })

  it('names every prefix of redeemed names', () => {
    const prefixes = [
      ...filesIn('src'),
      ...filesIn('durable-objects'),
      ...filesIn('packages'),
    ].flatMap((file) => allIn(file, /(?:redeem\(|#?name = )`(\w+) \$\{/g))
    expect([...new Set(prefixes)].sort()).toEqual(['assertion', 'consent', 'login', 'session'])
    for (const prefix of prefixes) expect(sectionUnder('Names')).toContain(`\`${prefix} <`)
  })

  it('names every message of the stream sockets of a session', () => {
    const wire = 'durable-objects/session/stream-wire.ts'
    const section = 'Stream sockets of a session'
    expect(namesIn(section, 'message to the Worker')).toEqual(allIn(wire, /case '(\w)':/g))
    expect(namesIn(section, 'message to the object (JSON with kind and claims)')).toEqual(
      allIn(wire, /case '([\w-]{2,})':/g),
    )
    const request = between(
      'src/ports/sessions.ts',
      'export interface StreamReadRequest {',
      '\n}\n',
    )
    expect(namesIn(section, 'member of x-stream-read')).toEqual(
      [...request.matchAll(/^ {2}readonly (\w+)/gm)].map(([, member]) => member),
    )
    const attachment = between(
      'durable-objects/session/stream-sockets.ts',
      'interface Attachment {',
      '\n}\n',
    )
    for (const [, member] of attachment.matchAll(/^ {2}readonly (\w+)/gm)) {
      expect(sectionUnder(section)).toContain(`\`${member}\``)
    }
    for (const [name, code] of [
      ...Object.entries(CloseCode),
      ...Object.entries(ReadRefusalStatus),
    ]) {
      expect(sectionUnder(section)).toContain(`\`${name}\` ${code}`)
    }
    for (const kind of STREAM_KINDS) expect(sectionUnder(section)).toContain(`\`${kind}\``)
  })

  it('names every parameter, kind and refusal of the stream sockets of the hub', () => {
    const wire = 'durable-objects/hub/hub-wire.ts'
    const section = 'Stream sockets of the hub'
    const parameters = allIn(wire, /url\.searchParams\.(?:set|append)\('(\w+)'/g)
    expect(namesIn(section, 'parameter')).toEqual(parameters)
    for (const kind of CHANGE_KINDS) expect(sectionUnder(section)).toContain(`\`${kind}\``)
    const refusals = between(wire, 'export const ListenRefusalStatus = {', '}')
    for (const [, name, status] of refusals.matchAll(/(\w+): (\d+)/g)) {
      expect(sectionUnder(section)).toContain(`\`${name}\` ${status}`)
    }
  })

  it('names every parameter, member and refusal of the stream sockets of a log', () => {
    const wire = 'packages/events/src/objects/log/log-wire.ts'
    const section = 'Stream sockets of a log'
    const parameters = allIn(wire, /url\.searchParams\.(?:set|append)\('(\w+)'/g)
    expect(namesIn(section, 'parameter')).toEqual(parameters)
    const request = between(wire, 'export interface FeedRequest {', '\n}\n')
    const began = between(wire, 'export interface Began {', '\n}\n')
    const members = [...`${request}${began}`.matchAll(/^ {2}readonly (\w+)/gm)]
    expect(members).not.toEqual([])
    for (const [, member] of members) expect(sectionUnder(section)).toContain(`\`${member}\``)
    const refusals = between(wire, 'export const FeedRefusalStatus = {', '}')
    for (const [, name, status] of refusals.matchAll(/(\w+): (\d+)/g)) {
      expect(sectionUnder(section)).toContain(`\`${name}\` ${status}`)
    }
  })

  it('names every RPC method with its parameters', () => {
    const events = 'packages/events/src/objects/port.ts'
    const methodsOfPart = (file: string, name: string) =>
      methodsOfClass(`durable-objects/${file}.ts`, name)
    const actual: Readonly<Record<Kind, string[]>> = {
      session: methodsOfPart('session/session-object', 'SessionObject'),
      task: methodsOfPart('task/task-object', 'TaskObject'),
      state: methodsOfPart('state/state-object', 'StateObject'),
      account: methodsOfPort('src/ports/accounts.ts', 'Account'),
      throttle: methodsOfPort('src/ports/throttle.ts', 'Throttle'),
      documents: methodsOfPort('src/ports/documents.ts', 'DocumentStore'),
      hub: methodsOfPart('hub/hub-object', 'HubObject'),
      keyring: methodsOfPart('keyring/keyring-object', 'KeyringObject'),
      redeemed: methodsOfPart('keyring/redeemed-object', 'RedeemedObject'),
      principals: methodsOfPart('keyring/principals-object', 'PrincipalsObject'),
      timeline: methodsOfClass(`${INSPECTOR}/log/timeline-object.ts`, 'TimelineObject'),
      traffic: methodsOfClass(`${INSPECTOR}/traffic/traffic-object.ts`, 'TrafficObject'),
      log: methodsOfPort(events, 'EventLogRpc'),
      subscriber: methodsOfPort(events, 'SubscriberRpc'),
      connections: methodsOfPart('connections/connections-object', 'ConnectionsObject'),
      place: methodsOfPart('place-object', 'PlaceObject'),
    }
    const listed = rowsUnder('RPC').slice(1)
    expect(listed).toEqual(
      Object.entries(actual).map(([name, methods]) => [name, methods.join(', ')]),
    )
  })
})

describe('the statements of objects', () => {
  it('name the columns that they write, so that a column of a newer version does not break them', () => {
    const unnamed = OBJECTS.filter((file) => /INTO\s+\w+\s+(?:VALUES|SELECT)/.test(sourceOf(file)))
    expect(unnamed).toEqual([])
  })

  it('only add to existing tables in migrations, or move their rows', () => {
    // Rows move to another table in the release after the one that reads both.
    const moves =
      /INSERT OR IGNORE INTO \w+ \([^)]*\)\s+SELECT [^;]* FROM (\w+);\s*DELETE FROM \1;/g
    for (const text of Object.keys(SCHEMAS).flatMap(migrationsOf)) {
      const migration = text.replaceAll(moves, '')
      expect(migration).not.toMatch(/\b(?:DROP|RENAME|TRIGGER|DELETE|UPDATE)\b/)
      for (const [added] of migration.matchAll(/ADD COLUMN[^;]*/g)) {
        expect(added).toMatch(/DEFAULT|^(?!.*NOT NULL)/)
      }
    }
  })
})
