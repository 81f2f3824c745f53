/** The mill wheel over the water of its race. */
export function Mark() {
  return (
    <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden className="shrink-0 text-accent">
      <g fill="none" stroke="currentColor" strokeLinecap="round">
        <circle cx="10" cy="7.8" r="5.6" strokeWidth="1.8" />
        <path d="M10 2.2v11.2M4.4 7.8h11.2M6 3.8l8 8M14 3.8l-8 8" strokeWidth="1.1" />
        <path d="M1.5 17c1.4-1.2 2.7-1.2 4.2 0s2.8 1.2 4.3 0 2.8-1.2 4.2 0 2.8 1.2 4.3 0" strokeWidth="1.8" />
      </g>
    </svg>
  )
}
