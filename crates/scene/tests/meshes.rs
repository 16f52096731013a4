//! The importers on real meshes: counts, volumes, and two formats of one mesh that agree.

use std::path::{Path, PathBuf};

use coact_model::{TetMesh, TriMesh};
use coact_scene::import::{Imported, check_surface, check_tets, read};

fn mesh(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/meshes").join(name)
}

fn surface(path: &Path) -> TriMesh {
    match read(path) {
        Ok(Imported::Surface(s)) => s,
        other => panic!("{other:?}"),
    }
}

fn tets(path: &Path) -> TetMesh {
    match read(path) {
        Ok(Imported::Tets(t)) => t,
        other => panic!("{other:?}"),
    }
}

/// Volume inside a closed surface \[m³\].
fn volume(s: &TriMesh) -> f64 {
    let of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| s.vertices[v as usize]);
        a.cross(&b).dot(&c) / 6.0
    };
    s.triangles.iter().map(of).sum()
}

#[test]
fn the_bunny_is_read_whole_and_sound() {
    let s = surface(&mesh("bunny.obj"));
    assert_eq!((s.vertices.len(), s.triangles.len()), (1839, 3674));
    assert!((volume(&s) - 8.031e-4).abs() < 1e-6, "{}", volume(&s));
    assert_eq!(check_surface(&s, true), Ok(()));
}

#[test]
fn gmsh_and_vtk_forms_of_one_mesh_agree() {
    let (mut gmsh, vtk) = (tets(&mesh("bunny_tet.msh")), tets(&mesh("bunny_tet.vtk")));
    assert_eq!((gmsh.vertices.len(), gmsh.tets.len()), (1815, 4843));
    assert_eq!(gmsh, vtk);
    assert_eq!(check_tets(&mut gmsh, false), Ok(()));
}

#[test]
fn a_surface_survives_ply_and_stl() {
    let folder = tempfile::tempdir().unwrap();
    let bunny = surface(&mesh("bunny.obj"));
    let ply = folder.path().join("bunny.ply");
    std::fs::write(&ply, as_ply(&bunny)).unwrap();
    assert_eq!(surface(&ply), bunny);

    let stl = folder.path().join("bunny.stl");
    let corner = |v: &u32| stl_io::Vertex::new(bunny.vertices[*v as usize].map(|x| x as f32).into());
    let facets = bunny.triangles.iter().map(|t| stl_io::Triangle {
        normal: stl_io::Normal::new([0.0, 0.0, 1.0]),
        vertices: [corner(&t[0]), corner(&t[1]), corner(&t[2])],
    });
    let facets: Vec<_> = facets.collect();
    let mut file = std::fs::File::create(&stl).unwrap();
    stl_io::write_stl(&mut file, facets.iter()).unwrap();
    let back = surface(&stl);
    assert_eq!((back.vertices.len(), back.triangles.len()), (1839, 3674));
    assert!((volume(&back) - volume(&bunny)).abs() < 1e-9);
}

fn as_ply(s: &TriMesh) -> String {
    let (n, m) = (s.vertices.len(), s.triangles.len());
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {n}\nproperty double x\nproperty double y\nproperty double z\n\
         element face {m}\nproperty list uchar int vertex_indices\nend_header\n"
    );
    s.vertices.iter().for_each(|v| text += &format!("{} {} {}\n", v.x, v.y, v.z));
    s.triangles.iter().for_each(|t| text += &format!("3 {} {} {}\n", t[0], t[1], t[2]));
    text
}
