//! `docs/libraries/libnuma.md` has one row for each function of libnuma.

/// The exports of libnuma.so.1 2.0.16, its wrappers of system calls, the additions of later
/// releases and of its repository (pull requests 238 and 241), and the macros of numa.h.
const LIBNUMA: &str = "copy_bitmask_to_bitmask copy_bitmask_to_nodemask copy_nodemask_to_bitmask \
     get_mempolicy \
     mbind migrate_pages move_pages numa_all_cpus_ptr numa_all_nodes numa_all_nodes_ptr \
     numa_alloc numa_alloc_interleaved numa_alloc_interleaved_subset numa_alloc_local \
     numa_alloc_onnode numa_allocate_cpumask numa_allocate_nodemask numa_available numa_bind \
     numa_bitmask_alloc numa_bitmask_clearall numa_bitmask_clearbit numa_bitmask_equal \
     numa_bitmask_free numa_bitmask_isbitset numa_bitmask_nbytes numa_bitmask_setall \
     numa_bitmask_setbit numa_bitmask_weight numa_distance numa_error numa_exit_on_error \
     numa_exit_on_warn numa_free numa_free_cpumask numa_free_nodemask numa_get_interleave_mask \
     numa_get_interleave_node numa_get_membind numa_get_mems_allowed numa_get_run_node_mask \
     numa_has_preferred_many numa_interleave_memory numa_max_node numa_max_possible_node \
     numa_migrate_pages numa_move_pages numa_no_nodes numa_no_nodes_ptr numa_node_of_cpu \
     numa_node_size numa_node_size64 numa_node_to_cpu_update numa_node_to_cpus numa_nodes_ptr \
     numa_num_configured_cpus numa_num_configured_nodes numa_num_possible_cpus \
     numa_num_possible_nodes numa_num_task_cpus numa_num_task_nodes numa_num_thread_cpus \
     numa_num_thread_nodes numa_pagesize numa_parse_bitmap numa_parse_cpustring \
     numa_parse_cpustring_all numa_parse_nodestring numa_parse_nodestring_all numa_police_memory \
     numa_preferred numa_preferred_many numa_realloc numa_run_on_node numa_run_on_node_mask \
     numa_run_on_node_mask_all numa_sched_getaffinity numa_sched_setaffinity numa_set_bind_policy \
     numa_set_interleave_mask numa_set_localalloc numa_set_membind numa_set_membind_balancing \
     numa_set_mempolicy_home_node numa_set_preferred numa_set_preferred_many numa_set_strict \
     numa_set_weighted_interleave_mask numa_setlocal_memory numa_tonode_memory \
     numa_tonodemask_memory numa_warn set_mempolicy set_mempolicy_home_node numa_has_home_node \
     numa_get_weighted_interleave_mask numa_alloc_weighted_interleaved \
     numa_alloc_weighted_interleaved_subset numa_weighted_interleave_memory";

#[test]
fn every_function_of_libnuma_has_its_row() {
    let page = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/libraries/libnuma.md"
    ))
    .unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let first_column =
        |row: &&str| row.trim_start_matches('|').split('|').next().unwrap_or_default().to_owned();
    let cells: Vec<String> = rows.iter().map(first_column).collect();
    for name in LIBNUMA.split_whitespace() {
        let found = cells.iter().filter(|cell| cell.contains(&format!("`{name}`"))).count();
        assert_eq!(found, 1, "{name}");
    }
    let complete =
        rows.iter().all(|row| row.split('|').nth(2).is_some_and(|cell| !cell.trim().is_empty()));
    assert!(complete, "a row has an empty second column");
}
