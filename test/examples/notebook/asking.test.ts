/** What the notebook asks a person, and what it does where it cannot. */
import { afterEach, describe, expect, it } from 'vitest'
import { ask, call, clear, round, session } from './endpoint.ts'

afterEach(clear)

const accept = (content: object) => ({ action: 'accept', content })

describe('delete_note', () => {
  const soup = { id: 'soup' }
  const kept = async () => (await call('list_notes')).notes.map(({ id }: { id: string }) => id)
  /** Answers the question that a first round asked. */
  const answer = async (response: object | null, between?: () => Promise<unknown>) => {
    await call('write_note', { title: 'Soup', body: 'salt' })
    const { requestState } = await round('delete_note', soup)
    await between?.()
    return round('delete_note', soup, { requestState, inputResponses: { confirm: response } })
  }

  it('asks before it deletes, and leaves the note where it is meanwhile', async () => {
    await call('write_note', { title: 'Soup', body: 'salt' })
    expect(await round('delete_note', soup)).toMatchObject({
      resultType: 'input_required',
      requestState: expect.any(String),
      inputRequests: {
        confirm: {
          method: 'elicitation/create',
          params: {
            mode: 'form',
            message: 'Move the note "Soup" to the bin? It can be restored for 30 days.',
            requestedSchema: {
              type: 'object',
              properties: { remove: { type: 'boolean', title: 'Move it to the bin' } },
              required: ['remove'],
            },
          },
        },
      },
    })
    expect(await kept()).toEqual(['soup'])
  })

  it('deletes what a person agrees to have deleted', async () => {
    const { structuredContent, content } = await answer(accept({ remove: true }))
    expect(structuredContent).toEqual({
      id: 'soup',
      title: 'Soup',
      deleted: true,
      asked: true,
      restorableUntil: expect.stringMatching(/^20\d\d-/),
    })
    expect(content[0].text).toMatch(/^The note "Soup" is in the bin; .* until 20\d\d-\S+Z\.$/)
    expect(await kept()).toEqual([])
  })

  it.each([
    [accept({ remove: false }), 'The note "Soup" was kept. The user does not want that.'],
    [{ action: 'decline' }, 'The note "Soup" was kept. The user does not want that.'],
    [
      { action: 'cancel' },
      'The note "Soup" was kept. The user closed the question without answering. Do not try again unless they say so.',
    ],
  ])('keeps the note after %j', async (response, text) => {
    const result = await answer(response)
    expect(result.isError).toBeUndefined()
    expect(result.content).toEqual([{ type: 'text', text }])
    expect(result.structuredContent).toEqual({
      id: 'soup',
      title: 'Soup',
      deleted: false,
      asked: true,
    })
    expect(await kept()).toEqual(['soup'])
  })

  it.each([accept({}), accept({ remove: 'yes' }), { action: 'delete' }, null])(
    'asks again after %j',
    async (response) => {
      const result = await answer(response)
      expect(Object.keys(result.inputRequests)).toEqual(['confirm'])
      expect(await kept()).toEqual(['soup'])
    },
  )

  it('does not delete a note that has become another while the person thought', async () => {
    const result = await answer(accept({ remove: true }), () =>
      call('append_to_note', { id: 'soup', text: 'pepper' }),
    )
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toMatch(
      /^Note "soup" was changed while the user was being asked/,
    )
    expect(await kept()).toEqual(['soup'])
  })

  it('does not delete again when an answer is sent again after the note was restored', async () => {
    await call('write_note', { title: 'Soup', body: 'salt' })
    const { requestState } = await round('delete_note', soup)
    const again = { requestState, inputResponses: { confirm: accept({ remove: true }) } }
    expect((await round('delete_note', soup, again)).structuredContent.deleted).toBe(true)
    await call('restore_note', soup)
    expect((await round('delete_note', soup, again)).isError).toBe(true)
    expect(await kept()).toEqual(['soup'])
  })

  it('takes an answer for no other note', async () => {
    await call('write_note', { title: 'Soup', body: 'salt' })
    await call('write_note', { title: 'Bread', body: 'flour' })
    const { requestState } = await round('delete_note', soup)
    const answers = { requestState, inputResponses: { confirm: accept({ remove: true }) } }
    await expect(round('delete_note', { id: 'bread' }, answers)).rejects.toThrow(/-32602/)
    expect((await kept()).sort()).toEqual(['bread', 'soup'])
  })

  it('asks nothing about a note that is not there', async () => {
    const { isError, content } = await round('delete_note', soup)
    expect([isError, content[0].text]).toEqual([true, expect.stringMatching(/^There is no note/)])
  })

  it.each([{}, { elicitation: { url: {} } }, { sampling: {} }])(
    'deletes at once, and says so, where a client with %j cannot ask',
    async (capabilities) => {
      await call('write_note', { title: 'Soup', body: 'salt' })
      const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
      const params = { name: 'delete_note', arguments: soup }
      const { content, structuredContent } = await ask('tools/call', params, { meta })
      expect(structuredContent).toMatchObject({ deleted: true, asked: false })
      expect(content[0].text).toMatch(/ The user was not asked, as this client cannot ask: tell /)
      expect(await kept()).toEqual([])
    },
  )

  it('deletes at once for a client of an older revision without a session', async () => {
    await call('write_note', { title: 'Soup', body: 'salt' })
    const result = await session('tools/call', { name: 'delete_note', arguments: soup })
    expect(result.structuredContent).toMatchObject({ deleted: true, asked: false })
  })
})

describe('import_notes', () => {
  const notes = [
    { title: 'soup', body: 'theirs' },
    { title: 'Bread', body: 'flour' },
  ]
  /** A first round on a notebook that holds one of the titles, and the answers to its questions. */
  const answer = async (inputResponses: object, args: object = {}) => {
    await call('write_note', { title: 'Soup', body: 'mine' })
    const { requestState } = await round('import_notes', { notes, ...args })
    return round('import_notes', { notes, ...args }, { requestState, inputResponses })
  }

  it('asks together for what the call leaves open', async () => {
    await call('write_note', { title: 'Soup', body: 'mine' })
    const { resultType, inputRequests } = await round('import_notes', { notes })
    expect(resultType).toBe('input_required')
    expect(inputRequests).toEqual({
      tags: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: 'Tags to put on all 2 imported notes? Leave it empty for none.',
          requestedSchema: {
            type: 'object',
            properties: {
              tags: {
                type: 'string',
                title: 'Tags',
                description: expect.stringMatching(/^With commas between them/),
                maxLength: 1664,
                default: '',
              },
            },
          },
        },
      },
      duplicates: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message:
            '1 of 2 notes to import have a title that is in the notebook already: "soup". What should become of them?',
          requestedSchema: {
            type: 'object',
            properties: {
              duplicates: {
                type: 'string',
                title: 'Notes that are there already',
                default: 'skip',
                oneOf: [
                  { const: 'skip', title: 'Keep mine, leave the imported ones out' },
                  { const: 'replace', title: 'Replace mine' },
                  { const: 'copy', title: 'Keep both, the imported ones numbered' },
                ],
              },
            },
          },
        },
      },
    })
    expect((await call('list_notes')).total).toBe(1)
  })

  it('imports as the person has chosen', async () => {
    const { structuredContent } = await answer({
      duplicates: accept({ duplicates: 'copy' }),
      tags: accept({ tags: 'Old, from web ,,' }),
    })
    expect(structuredContent).toEqual({
      created: ['soup-2', 'bread'],
      replaced: [],
      skipped: [],
      refused: [],
    })
    expect(await call('list_notes', { tags: ['old', 'from-web'] })).toMatchObject({ total: 2 })
  })

  it('keeps what is answered and asks again for the rest, and for tags that cannot be', async () => {
    await call('write_note', { title: 'Soup', body: 'mine' })
    const first = await round('import_notes', { notes })
    const second = await round(
      'import_notes',
      { notes },
      {
        requestState: first.requestState,
        inputResponses: {
          duplicates: accept({ duplicates: 'replace' }),
          tags: accept({ tags: 'no! such! tag!' }),
        },
      },
    )
    expect(Object.keys(second.inputRequests)).toEqual(['tags'])
    const { structuredContent } = await round(
      'import_notes',
      { notes },
      { requestState: second.requestState, inputResponses: { tags: accept({}) } },
    )
    expect(structuredContent).toMatchObject({ created: ['bread'], replaced: ['soup'] })
  })

  it('takes answers once, so that no copy is made twice', async () => {
    await call('write_note', { title: 'Soup', body: 'mine' })
    const { requestState } = await round('import_notes', { notes })
    const inputResponses = {
      duplicates: accept({ duplicates: 'copy' }),
      tags: { action: 'decline' },
    }
    await round('import_notes', { notes }, { requestState, inputResponses })
    const again = round('import_notes', { notes }, { requestState, inputResponses })
    await expect(again).rejects.toThrow(/-32602/)
    const withoutState = round('import_notes', { notes }, { inputResponses })
    await expect(withoutState).rejects.toThrow(/-32602/)
    expect((await call('list_notes')).total).toBe(3)
  })

  it('takes the harmless way where a person declines', async () => {
    const declined = { action: 'decline' }
    const { structuredContent } = await answer({ duplicates: declined, tags: declined })
    expect(structuredContent).toMatchObject({ created: ['bread'], skipped: ['soup'] })
    expect((await call('read_note', { id: 'bread' })).tags).toEqual([])
  })

  it('imports nothing where a person closes a question', async () => {
    const { content, structuredContent } = await answer({
      duplicates: accept({ duplicates: 'copy' }),
      tags: { action: 'cancel' },
    })
    expect(content[0].text).toMatch(/^Nothing was imported: the user closed the question\./)
    expect(structuredContent).toMatchObject({ created: [], skipped: [] })
    expect((await call('list_notes')).total).toBe(1)
  })

  it('asks for nothing that the call says, or that does not arise', async () => {
    expect(Object.keys((await round('import_notes', { notes })).inputRequests)).toEqual(['tags'])
    await call('write_note', { title: 'Soup', body: 'mine' })
    const tagged = await round('import_notes', { notes, tags: [] })
    expect(Object.keys(tagged.inputRequests)).toEqual(['duplicates'])
    const { structuredContent } = await round('import_notes', {
      notes,
      tags: [],
      duplicates: 'skip',
    })
    expect(structuredContent).toMatchObject({ created: ['bread'], skipped: ['soup'] })
  })

  it('leaves duplicates alone where nobody can be asked', async () => {
    await call('write_note', { title: 'Soup', body: 'mine' })
    expect(await call('import_notes', { notes })).toMatchObject({
      created: ['bread'],
      skipped: ['soup'],
    })
  })
})
