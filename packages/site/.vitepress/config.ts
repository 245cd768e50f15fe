import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { writeAgentTexts } from '../agent-texts.ts'
import { createMenu } from '../menu.ts'
import { processTerm, searchOptions } from '../search.ts'

export default defineConfig({
  title: 'Edgeway',
  description: 'A runtime for remote MCP servers on Cloudflare Workers.',
  srcDir: 'pages',
  cleanUrls: true,
  ignoreDeadLinks: 'localhostLinks',
  transformHead: ({ pageData: { isNotFound, relativePath } }) =>
    isNotFound
      ? []
      : [['link', { rel: 'alternate', type: 'text/markdown', href: `/${relativePath}` }]],
  buildEnd: ({ srcDir, outDir, pages }) => writeAgentTexts(srcDir, outDir, pages),
  markdown: {
    // The documents are plain Markdown that other programs show too, so braces in their text are text.
    config: ({ renderer, utils }) => {
      renderer.rules.text = (tokens, index) =>
        utils.escapeHtml(tokens[index]?.content ?? '').replaceAll('{', '&#123;')
    },
  },
  themeConfig: {
    sidebar: createMenu(join(import.meta.dirname, '../pages')),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: { miniSearch: { options: { processTerm }, searchOptions } },
    },
  },
})
