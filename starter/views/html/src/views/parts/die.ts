/** The view of `roll_dice`: the number that it returned, and a button that rolls again. */
import { connectView, textOf } from 'edgeway/view'
import type { Tools } from '../../views.types.ts'

const find = (selector: string) => document.querySelector(selector) as HTMLElement
const face = find('.face')
const text = find('h1')
const button = find('button') as HTMLButtonElement

const view = connectView<Tools, 'roll_dice'>({ name: 'die' })
let args: Tools['roll_dice']['arguments'] = {}

view.watch(({ tool, capabilities, error }) => {
  if ('arguments' in tool && tool.arguments) args = tool.arguments
  text.textContent = error?.message ?? `A die with ${args.sides ?? 6} sides`
  button.hidden = capabilities.serverTools === undefined
  if (tool.status === 'failed') text.textContent = textOf(tool.result)
  if (tool.status === 'cancelled') text.textContent = 'The roll was cancelled.'
  if (tool.status !== 'done') return
  button.disabled = false
  face.textContent = String(tool.result.structuredContent?.number ?? '…')
})

button.addEventListener('click', async () => {
  button.disabled = true
  try {
    const result = await view.callTool('roll_dice', args)
    if (result.isError || result.structuredContent === undefined) return
    face.textContent = String(result.structuredContent.number)
    if (!view.state.capabilities.updateModelContext) return
    await view.updateModelContext({
      content: [{ type: 'text', text: `The person rolled again: ${face.textContent}` }],
    })
  } finally {
    button.disabled = false
  }
})
