/** Questions that a task or a mark changes the answers of. */
export const TASK_TOUCHES = ['farms', 'tasks'];
