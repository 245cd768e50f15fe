/**
 * The plugin of Claude, which is submitted beside the connector with the same URL.
 *
 * @see https://code.claude.com/docs/en/plugins-reference
 */
import type { OutputFiles } from '../output-folder.ts'
import { jsonFile, pluginIdentity, pluginTexts } from '../plugin-files.ts'
import type { Problem } from '../problem.ts'
import type { Submission } from '../submission.ts'

/** By path in the folder of the plugin. */
export function claudePlugin(submission: Submission): OutputFiles {
  const identity = pluginIdentity(submission)
  const servers = { [identity.name]: { type: 'http', url: submission.url } }
  return new Map([
    ['.claude-plugin/plugin.json', jsonFile(identity)],
    ['.mcp.json', jsonFile({ mcpServers: servers })],
    ...pluginTexts(submission, 'Claude'),
  ])
}

const MIN_README_WORDS = 40

export function claudePluginProblems(submission: Submission): readonly Problem[] {
  const { license, licenseText } = submission
  const readme = pluginTexts(submission, 'Claude').get('README.md')
  const words = new TextDecoder().decode(readme).match(/\p{L}[\p{L}\p{N}’'-]*/gu)?.length ?? 0
  const noLicense: Problem = {
    code: 'license-missing',
    message: 'The plugin has no license',
    fix: 'Write a file LICENSE beside directory.json or package.json, and "license" with its SPDX identifier in one of them.',
  }
  const shortReadme: Problem = {
    code: 'readme-short',
    message: `README.md of the plugin has ${words} words, and ${MIN_README_WORDS} are required`,
    fix: 'Write a longer "description" in directory.json.',
  }
  return [
    ...(license === undefined || licenseText === undefined ? [noLicense] : []),
    ...(words < MIN_README_WORDS ? [shortReadme] : []),
  ]
}
