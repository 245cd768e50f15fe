/** The menu of the documentation site. */
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SECTIONS } from '../menu.ts'
import { REDIRECTS } from '../redirects.ts'

const DOCS = resolve(import.meta.dirname, '../../../docs')

const documents = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .map((path) => path.replace(/\.md$/, ''))

describe('the menu of the site', () => {
  it('lists every document of docs/ once', () => {
    const listed = Object.values(SECTIONS).flat()
    expect(listed.filter((path) => documents.includes(path)).sort()).toEqual(documents.sort())
  })
})

describe('the guides', () => {
  const guides = documents.filter((path) => path.startsWith('guides/'))

  it('are at most 25', () => {
    expect(guides.length).toBeLessThanOrEqual(25)
  })

  it('that have become sections are redirected from pages that are gone', () => {
    expect(Object.keys(REDIRECTS).filter((path) => guides.includes(path))).toEqual([])
  })
})
