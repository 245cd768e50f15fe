/** Reports the size of the document to the host whenever it changes. */
import type { Frame } from './frame.ts'
import type { Size } from './view.ts'

export function reportSize(frame: Frame, report: (size: Size) => void): void {
  const { documentElement: root, body } = frame.document
  let reported: Size = {}
  let isScheduled = false
  const measure = () => {
    isScheduled = false
    // The height of the content, not that of a frame that is higher.
    const { height: own } = root.style
    root.style.height = 'max-content'
    const height = Math.ceil(root.getBoundingClientRect().height)
    root.style.height = own
    const width = Math.ceil(frame.innerWidth)
    if (width === reported.width && height === reported.height) return
    reported = { width, height }
    report(reported)
  }
  const schedule = () => {
    if (!isScheduled) frame.requestAnimationFrame(measure)
    isScheduled = true
  }
  const observer = new frame.ResizeObserver(schedule)
  observer.observe(root)
  observer.observe(body)
}
