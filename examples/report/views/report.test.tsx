/** Tests the view of a report, with a host that answers its calls. */
// @vitest-environment happy-dom
import { openView } from 'edgeway/testing'
import { expect, it } from 'vitest'

it('makes the report of the chosen months', async () => {
  document.body.innerHTML = '<div id="root"></div>'
  const view = await openView(() => import('./report.tsx'), {
    tool: 'plan_report',
    result: { content: [], structuredContent: { draft: 'd1', months: ['2026-10', '2026-11'] } },
    onCall: () => ({ content: [], structuredContent: { wanted: 2, done: [] } }),
  })
  await expect.poll(() => document.querySelectorAll('input').length).toBe(2)

  document.querySelector('button')?.click()

  await expect.poll(() => view.calls[0]?.name).toBe('make_report')
  expect(view.findings).toEqual([])
})
