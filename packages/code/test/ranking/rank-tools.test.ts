/** The order of tools for short questions, which are what most models ask. */
import { describe, expect, it } from 'vitest'
import { findTools, rankTools } from '../../src/ranking/rank-tools.ts'

const tool = (name: string, title: string, description: string) => ({
  info: { name, title, description, inputSchema: { type: 'object' as const } },
})

const VERIFICATION =
  'The response has an object with the result of verifying the signature of each one. The fields are verified, reason, signature, payload and date. '.repeat(
    7,
  )

const TOOLS = [
  tool('pulls_list-commits', 'List commits on a pull request', 'Lists at most 250 commits.'),
  tool('gists_list-commits', 'List gist commits', 'List gist commits'),
  tool('reactions_list-for-commit-comment', 'List reactions for a commit comment', 'List them.'),
  tool('repos_list-commits', 'List commits', `List commits. ${VERIFICATION}`),
  tool('repos_list-branches', 'List branches', 'List branches'),
  tool('issues_list-events', 'List issue events', 'List issue events'),
]

describe('a short question', () => {
  it('finds first the tool whose name and title it covers, also with a long description', () => {
    const names = rankTools(TOOLS, 'list commits of a repository').map(({ info }) => info.name)
    expect(names[0]).toBe('repos_list-commits')
  })

  it('ranks no tool for its name alone when it asks for another thing', () => {
    const names = rankTools(TOOLS, 'reactions to a comment').map(({ info }) => info.name)
    expect(names).toEqual(['reactions_list-for-commit-comment'])
  })

  it.each(['Repos_List-Commits', 'mcp__github__repos_list-commits', 'select:repos_list-commits'])(
    'finds first the tool that is named by %s',
    (question) => {
      expect(rankTools(TOOLS, question)[0]?.info.name).toBe('repos_list-commits')
      const two = [...TOOLS, tool('commits', 'Commits', 'Commits')]
      expect(rankTools(two, question)[0]?.info.name).toBe('repos_list-commits')
    },
  )

  it('finds the tool of the whole name before one that it could be with a prefix', () => {
    const names = ['commits', 'list__commits', 'x'].map((name) => tool(name, '', 'Commits'))
    const found = rankTools(names, 'list__commits').map(({ info }) => info.name)
    expect(found).toEqual(['list__commits', 'commits', 'x'])
  })

  it('ranks a tool without words in its name', () => {
    const names = rankTools([...TOOLS, tool('_', '', 'Compare two commits')], 'compare commits')
    expect(names[0]?.info.name).toBe('_')
  })
})

describe('a long question', () => {
  it.each([
    ['a word', 'the '],
    ['one repeated word', 'pizza '],
    ['one letter', 'a'],
    ['capital letters', 'A'],
    ['a script without spaces', '漢'],
    ['a character that Unicode decomposes to 18', '\ufdfa'],
    ['spaces', ' '],
  ])('of %s is read up to 1,000 characters', (_, filler) => {
    const start = filler.repeat(4_000_000 / filler.length)
    expect(rankTools(TOOLS, `${start} list commits`)).toEqual([])
    expect(rankTools(TOOLS, `list commits of a repository ${start}`)[0]?.info.name).toBe(
      'repos_list-commits',
    )
  })

  it('is read up to 32 different words', () => {
    const many = Array.from({ length: 32 }, (_, index) => String(1_000 + index))
    expect(rankTools(TOOLS, [...many, 'commits'].join(' '))).toEqual([])
    expect(rankTools(TOOLS, [...many.slice(1), 'commits'].join(' '))).not.toEqual([])
  })
})

describe('the words of a person', () => {
  const names = [
    'server_reboot',
    'member_remove',
    'repo_fork',
    'message_send',
    'task_create',
    'meeting_cancel',
  ]
  const tools = names.map((name) => tool(name, '', ''))

  it.each([
    ['restart a computer', 'server_reboot'],
    ['kick a teammate', 'member_remove'],
    ['take a colleague off', 'member_remove'],
    ['duplicate a project', 'repo_fork'],
    ['DM', 'message_send'],
    ['set up a to-do', 'task_create'],
    ['call the conference off', 'meeting_cancel'],
  ])('"%s" find %s', (question, expected) => {
    expect(rankTools(tools, question)[0]?.info.name).toBe(expected)
  })

  it('have a meaning in a question that they do not have in a description', () => {
    const described = [tool('page', '', 'Put the text below'), tool('create', '', '')]
    const found = rankTools(described, 'create')
    expect(found.map(({ info }) => info.name)).toEqual(['create'])
  })
})

describe('the match of a question', () => {
  it.each([
    ['commits', [], false],
    ['list commits with pizza', ['pizza'], false],
    ['list pizza and mushrooms now', ['pizza', 'mushrooms'], true],
    ['mcp__github__repos_list-commits', ['mcp', 'github'], false],
    ['pizza', ['pizza'], true],
    ['', [], false],
  ])('"%s" has the words that no tool has, and whether it is weak', (question, unknown, isWeak) => {
    expect(findTools(TOOLS, question)).toMatchObject({ unknown, isWeak })
  })
})
