/** The menu of the site: the pages by section, with the title that each page begins with. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DefaultTheme } from 'vitepress'

export const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  'Start here': ['guides/getting-started', 'guides/connecting-clients', 'guides/deploying'],
  'Write a server': [
    'guides/features',
    'guides/tools',
    'guides/resources',
    'guides/asking-people',
    'guides/accounts-elsewhere',
    'guides/state',
    'guides/files',
    'guides/tasks',
    'guides/apps',
    'guides/skills',
    'guides/openapi',
    'guides/large-catalogues',
  ],
  'Serve clients': [
    'guides/sessions-and-streams',
    'guides/events',
    'guides/several-servers',
    'guides/limits',
  ],
  'Control access': ['guides/authorization'],
  'Test and operate': [
    'guides/testing',
    'guides/when-a-client-does-not-connect',
    'guides/directories',
    'guides/telemetry',
    'operations',
  ],
  'Move a server': ['guides/migrate'],
  Reference: [
    'reference/configuration',
    'reference/revisions',
    'reference/reasons',
    'reference/faults',
    'reference/directory-faults',
    'reference/formats',
    'reference/api/index',
  ],
  Design: ['architecture', 'decisions', 'security', 'speed-and-size', 'scale'],
}

type MenuItem = DefaultTheme.SidebarItem

/** @throws {Error} if the page does not exist or does not begin with a title */
function titleOf(pages: string, path: string): string {
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(pages, `${path}.md`), 'utf8')) ?? []
  if (title === undefined) throw new Error(`${path}.md has no title.`)
  return title.replaceAll('`', '')
}

const itemsOf = (pages: string, paths: readonly string[]): MenuItem[] =>
  paths.map((path) => ({ text: titleOf(pages, path), link: `/${path.replace(/index$/, '')}` }))

/** The pages of a folder, by name. */
const folderOf = (pages: string, folder: string): readonly string[] =>
  readdirSync(join(pages, folder))
    .filter((file) => file !== 'index.md')
    .sort()
    .map((file) => `${folder}/${file.replace(/\.md$/, '')}`)

/**
 * The menus of the assembled pages, by the path that pages begin with. Those of the API reference are most
 * pages, and their menu leaves out two hundred others, which would take a third of the time of a build.
 */
export function createMenu(pages: string): DefaultTheme.SidebarMulti {
  const folder = (text: string, name: string): MenuItem => ({
    text,
    collapsed: true,
    items: itemsOf(pages, folderOf(pages, name)),
  })
  const sections = Object.entries(SECTIONS).map(([text, paths]) => ({
    text,
    items: itemsOf(pages, paths),
  }))
  return {
    '/reference/api/': sections,
    '/': [...sections, folder('Errors and reasons', 'reference/errors')],
  }
}
