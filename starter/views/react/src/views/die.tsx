/** The view of `roll_dice`: the number that it returned, and a button that rolls again. */
import { connectView, textOf } from 'edgeway/view'
import { useView } from 'edgeway/view/react'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import type { Tools } from '../views.types.ts'
import './die.css'

const view = connectView<Tools, 'roll_dice'>({ name: 'die' })

function Die() {
  const { tool, capabilities, error } = useView(view)
  const [again, setAgain] = useState<number>()
  const [isRolling, setRolling] = useState(false)
  const rollAgain = async () => {
    setRolling(true)
    try {
      const result = await view.callTool('roll_dice', args)
      if (result.isError || result.structuredContent === undefined) return
      const { number } = result.structuredContent
      setAgain(number)
      if (!capabilities.updateModelContext) return
      await view.updateModelContext({
        content: [{ type: 'text', text: `The person rolled again: ${number}` }],
      })
    } finally {
      setRolling(false)
    }
  }

  if (error !== undefined) return <p>{error.message}</p>
  if (tool.status === 'failed') return <p>{textOf(tool.result)}</p>
  if (tool.status === 'cancelled') return <p>The roll was cancelled.</p>
  const args = 'arguments' in tool && tool.arguments ? tool.arguments : {}
  const first = tool.status === 'done' ? tool.result.structuredContent?.number : undefined
  return (
    <main className="die">
      <div className="face" role="status">
        {isRolling ? '…' : (again ?? first ?? '…')}
      </div>
      <div>
        <h1>A die with {args.sides ?? 6} sides</h1>
        {capabilities.serverTools && (
          <button type="button" disabled={isRolling || first === undefined} onClick={rollAgain}>
            Roll again
          </button>
        )}
      </div>
    </main>
  )
}

const root = document.querySelector('#root')
if (root) createRoot(root).render(<Die />)
