/** Tests the questions that the notebook asks the user, and its behaviour for clients without elicitation. */
import { afterEach, describe, expect, it } from 'vitest'
import { ask, call, clear, round, session } from './endpoint.ts'

afterEach(clear)

const accept = (content: object) => ({ action: 'accept', content })

describe('delete_note', () => {
  const soup = { id: 'soup' }
  const noteIds = async () => (await call('list_notes')).notes.map(({ id }: { id: string }) => id)
  /** Sends a first round and answers its question. */
  const answer = async (response: object | null, between?: () => Promise<unknown>) => {
    await call('write_note', { title: 'Soup', body: 'salt' })
    const { requestState } = await round('delete_note', soup)
    await between?.()
    return round('delete_note', soup, { requestState, inputResponses: { confirm: response } })
  }

  it('asks for a confirmation and keeps the note until the answer', async () => {
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
    expect(await noteIds()).toEqual(['soup'])
  })

  it('deletes the note after the user has confirmed', async () => {
    const { structuredContent, content } = await answer(accept({ remove: true }))
    expect(structuredContent).toEqual({
      id: 'soup',
      title: 'Soup',
      deleted: true,
      asked: true,
      restorableUntil: expect.stringMatching(/^20\d\d-/),
    })
    expect(content[0].text).toMatch(/^The note "Soup" is in the bin; .* until 20\d\d-\S+Z\.$/)
    expect(await noteIds()).toEqual([])
  })

  it.each([
    [accept({ remove: false }), 'The note "Soup" was kept. The user does not want that.'],
    [{ action: 'decline' }, 'The note "Soup" was kept. The user does not want that.'],
    [
      { action: 'cancel' },
      'The note "Soup" was kept. The user closed the question without answering. Do not try again unless they say so.',
    ],
  ])('keeps the note after the answer %j', async (response, text) => {
    const result = await answer(response)
    expect(result.isError).toBeUndefined()
    expect(result.content).toEqual([{ type: 'text', text }])
    expect(result.structuredContent).toEqual({
      id: 'soup',
      title: 'Soup',
      deleted: false,
      asked: true,
    })
    expect(await noteIds()).toEqual(['soup'])
  })

  it.each([accept({}), accept({ remove: 'yes' }), { action: 'delete' }, null])(
    'asks again after the invalid answer %j',
    async (response) => {
      const result = await answer(response)
      expect(Object.keys(result.inputRequests)).toEqual(['confirm'])
      expect(await noteIds()).toEqual(['soup'])
    },
  )

  it('does not delete a note that was changed between question and answer', async () => {
    const result = await answer(accept({ remove: true }), () =>
      call('append_to_note', { id: 'soup', text: 'pepper' }),
    )
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toMatch(
      /^Note "soup" was changed while the user was being asked/,
    )
    expect(await noteIds()).toEqual(['soup'])
  })

  it('does not delete a restored note when the old answer is sent again', async () => {
    await call('write_note', { title: 'Soup', body: 'salt' })
    const { requestState } = await round('delete_note', soup)
    const again = { requestState, inputResponses: { confirm: accept({ remove: true }) } }
    expect((await round('delete_note', soup, again)).structuredContent.deleted).toBe(true)
    await call('restore_note', soup)
    expect((await round('delete_note', soup, again)).isError).toBe(true)
    expect(await noteIds()).toEqual(['soup'])
  })

  it('rejects an answer that belongs to another note', async () => {
    await call('write_note', { title: 'Soup', body: 'salt' })
    await call('write_note', { title: 'Bread', body: 'flour' })
    const { requestState } = await round('delete_note', soup)
    const answers = { requestState, inputResponses: { confirm: accept({ remove: true }) } }
    await expect(round('delete_note', { id: 'bread' }, answers)).rejects.toThrow(/-32602/)
    expect((await noteIds()).sort()).toEqual(['bread', 'soup'])
  })

  it('returns an error without asking when the note does not exist', async () => {
    const { isError, content } = await round('delete_note', soup)
    expect([isError, content[0].text]).toEqual([true, expect.stringMatching(/^There is no note/)])
  })

  it.each([{}, { elicitation: { url: {} } }, { sampling: {} }])(
    'deletes at once and reports it when the client declares the capabilities %j',
    async (capabilities) => {
      await call('write_note', { title: 'Soup', body: 'salt' })
      const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
      const params = { name: 'delete_note', arguments: soup }
      const { content, structuredContent } = await ask('tools/call', params, { meta })
      expect(structuredContent).toMatchObject({ deleted: true, asked: false })
      expect(content[0].text).toMatch(/ The user was not asked, as this client cannot ask: tell /)
      expect(await noteIds()).toEqual([])
    },
  )

  it('deletes at once for a client of the session era without a session', async () => {
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
  /** Sends a first round to a notebook that has one of the titles, and answers its questions. */
  const answer = async (inputResponses: object, args: object = {}) => {
    await call('write_note', { title: 'Soup', body: 'mine' })
    const { requestState } = await round('import_notes', { notes, ...args })
    return round('import_notes', { notes, ...args }, { requestState, inputResponses })
  }

  it('sends both questions together when the call answers neither', async () => {
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

  it('imports with the duplicates option and the tags that the user chose', async () => {
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

  it('keeps a valid answer and asks again for tags that are invalid', async () => {
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

  it('accepts answers only once, so that no copy is created twice', async () => {
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

  it('skips duplicates and adds no tags when the user declines both questions', async () => {
    const declined = { action: 'decline' }
    const { structuredContent } = await answer({ duplicates: declined, tags: declined })
    expect(structuredContent).toMatchObject({ created: ['bread'], skipped: ['soup'] })
    expect((await call('read_note', { id: 'bread' })).tags).toEqual([])
  })

  it('imports nothing when the user cancels a question', async () => {
    const { content, structuredContent } = await answer({
      duplicates: accept({ duplicates: 'copy' }),
      tags: { action: 'cancel' },
    })
    expect(content[0].text).toMatch(/^Nothing was imported: the user closed the question\./)
    expect(structuredContent).toMatchObject({ created: [], skipped: [] })
    expect((await call('list_notes')).total).toBe(1)
  })

  it('leaves out a question that the call answers or that does not apply', async () => {
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

  it('skips duplicates when the client does not support elicitation', async () => {
    await call('write_note', { title: 'Soup', body: 'mine' })
    expect(await call('import_notes', { notes })).toMatchObject({
      created: ['bread'],
      skipped: ['soup'],
    })
  })
})
