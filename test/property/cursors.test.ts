/** Cursors and list paging: a walk over the pages of any list. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeCursor, type Position, readCursor } from '../../src/dispatch/listing/cursor.ts'
import { listResources } from '../../src/dispatch/listing/resource-list.ts'
import { StaticList } from '../../src/dispatch/listing/static-list.ts'
import { createModernCodec } from '../../src/protocol/codec/modern.ts'
import type { Resource } from '../../src/protocol/content.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { FullContext } from '../../src/server/context.ts'
import type { ResourceDefinition, TemplateDefinition } from '../../src/server/definition.ts'
import { verifies } from '../support/verifies.ts'
import { runs } from './settings.ts'

const CODEC = createModernCodec({ name: 'server', version: '1' })

const text = fc.string({ unit: 'binary', maxLength: 12 })
const optional = fc.option(text, { nil: undefined })
const position = fc.record({ source: text, after: optional, inner: optional })
const pageSize = fc.integer({ min: 1, max: 5 })
const names = fc.uniqueArray(fc.string({ unit: 'binary-ascii', maxLength: 4 }), { maxLength: 14 })

function isRefused(read: () => unknown): boolean {
  try {
    read()
    return false
  } catch (error) {
    if (error instanceof ProtocolError && error.code === -32602) return true
    throw error
  }
}

describe('a cursor', () => {
  it('reads back as the position that it was written for', () => {
    fc.assert(
      fc.property(position, (written) => {
        expect(readCursor({ cursor: encodeCursor(written) })).toEqual(written)
      }),
      runs(1000),
    )
  })

  it('has one text per position: any other text is refused as invalid params', () => {
    verifies('pagination/cursors-are-opaque')
    const edit = fc.record({
      at: fc.nat(),
      remove: fc.nat({ max: 2 }),
      insert: fc.string({ maxLength: 2 }),
    })
    fc.assert(
      fc.property(position, edit, (written, { at, remove, insert }) => {
        const cursor = encodeCursor(written)
        const start = at % cursor.length
        const changed = cursor.slice(0, start) + insert + cursor.slice(start + remove)
        if (isRefused(() => readCursor({ cursor: changed }))) return
        expect(encodeCursor(readCursor({ cursor: changed }) as Position)).toBe(changed)
      }),
      runs(1500),
    )
  })

  it('is refused as invalid params when it is of another version', () => {
    fc.assert(
      fc.property(position, fc.constantFrom('', '0', '2', 'e', '11'), (written, version) => {
        const cursor = version + encodeCursor(written).slice(1)
        expect(isRefused(() => readCursor({ cursor }))).toBe(true)
      }),
      runs(200),
    )
  })

  it('is refused as invalid params when it is not a text of the server', () => {
    const other = fc.jsonValue().filter((value) => value !== undefined)
    fc.assert(
      fc.property(fc.oneof(other, fc.base64String()), (cursor) => {
        expect(isRefused(() => readCursor({ cursor } as JsonObject))).toBe(true)
      }),
      runs(500),
    )
  })
})

const promptList = (all: readonly string[], hidden: ReadonlySet<string>, size: number) =>
  new StaticList(
    'prompts/list',
    all.map((name) => ({
      info: { name },
      visible: hidden.has(name) ? () => false : undefined,
    })),
    { pageSize: size, listTtlMs: 0, isPrivate: false },
    CODEC,
  )

/** Reads one page as a client does. */
function readPage(list: ReturnType<typeof promptList>, cursor: string | undefined) {
  const bytes = list.page(cursor === undefined ? undefined : { cursor }, undefined)
  const { prompts, nextCursor } = JSON.parse(new TextDecoder().decode(bytes))
  return { page: prompts.map(({ name }: { name: string }) => name) as string[], nextCursor }
}

describe('the pages of registered definitions', () => {
  it('contain every visible item once, in order, and no page is longer than the page size', () => {
    fc.assert(
      fc.property(names, fc.infiniteStream(fc.boolean()), pageSize, (all, flags, size) => {
        const hidden = new Set(all.filter(() => flags.next().value))
        const list = promptList(all, hidden, size)
        const found: string[] = []
        let cursor: string | undefined
        do {
          const { page, nextCursor } = readPage(list, cursor)
          expect(page.length).toBeLessThanOrEqual(size)
          found.push(...page)
          cursor = nextCursor
        } while (cursor !== undefined && found.length <= all.length)
        expect(found).toEqual(all.filter((name) => !hidden.has(name)))
      }),
      runs(300),
    )
  })

  it('neither repeat nor skip an item that every version of a changing list has', () => {
    const versions = fc.infiniteStream(fc.infiniteStream(fc.boolean()))
    fc.assert(
      fc.property(names, versions, pageSize, (all, changes, size) => {
        const always = new Set(all)
        const found: string[] = []
        let cursor: string | undefined
        for (let turn = 0; turn <= all.length; turn++) {
          const flags = changes.next().value
          const version = all.filter(() => flags.next().value)
          const list = promptList(version, new Set(), size)
          // A list without the last item of the page before refuses the cursor.
          if (isRefused(() => readPage(list, cursor))) return
          for (const name of all) if (!version.includes(name)) always.delete(name)
          const { page, nextCursor } = readPage(list, cursor)
          found.push(...page)
          if (nextCursor === undefined) break
          cursor = nextCursor
        }
        expect(new Set(found).size).toBe(found.length)
        expect(found.filter((name) => always.has(name))).toEqual([...always])
      }),
      runs(300),
    )
  })
})

/** A template whose author pages its resources, with pages of any length and empty ones in between. */
interface Source {
  readonly pages: readonly number[]
}

const source = fc.record({ pages: fc.array(fc.nat({ max: 4 }), { maxLength: 4 }) })

function templateOf({ pages }: Source, index: number): TemplateDefinition {
  const list = (_: FullContext, { cursor = '0' }: { cursor?: string | undefined }) => {
    const page = Number(cursor)
    const resources = Array.from({ length: pages[page] ?? 0 }, (_item, at) =>
      resourceOf(`t${index}://${page}/${at}`),
    )
    return page + 1 < pages.length ? { resources, nextCursor: `${page + 1}` } : { resources }
  }
  // The parts of a definition that listing reads.
  return { info: { uriTemplate: `t${index}://{page}/{at}`, name: 't' }, list } as never
}

const resourceOf = (uri: string): Resource => ({ uri, name: uri })

describe('the pages of resources with templates that list theirs', () => {
  it('contain every resource once, in order, and no page is longer than the page size', async () => {
    verifies('resources/list-does-not-depend-on-the-connection')
    const registeredNames = names.map((all) => all.map((_, index) => `own://${index}`))
    await fc.assert(
      fc.asyncProperty(
        registeredNames,
        fc.array(source, { maxLength: 3 }),
        pageSize,
        async (own, sources, size) => {
          const registered = own.map((uri) => ({
            info: resourceOf(uri),
          })) as unknown as ResourceDefinition[]
          const templates = sources.map(templateOf)
          const found: string[] = []
          let at: Position | undefined
          for (let turn = 0; turn < 100; turn++) {
            const page = await listResources(registered, templates, {} as FullContext, size, at)
            expect(page.resources.length).toBeLessThanOrEqual(size)
            found.push(...page.resources.map(({ uri }) => uri))
            if (page.nextCursor === undefined) break
            at = readCursor({ cursor: page.nextCursor })
          }
          const listed = sources.flatMap(({ pages }, index) =>
            pages.flatMap((count, page) =>
              Array.from({ length: count }, (_, item) => `t${index}://${page}/${item}`),
            ),
          )
          expect(found).toEqual([...own, ...listed])
        },
      ),
      runs(300),
    )
  })
})
